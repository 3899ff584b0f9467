"""The message with which a call is refused."""

import pytest

from dugraph.exceptions import InputError


def refusal(call, *arguments, **keywords):
    with pytest.raises(InputError) as caught:
        call(*arguments, **keywords)
    return str(caught.value)
