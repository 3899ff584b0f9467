#!/bin/sh
# Install a wheel into an empty environment and try it there: try_wheel.sh WHEEL [PYTHON]
# PATH holds that environment and nothing else, so that no compiler is found.
set -eu
wheel=$(realpath "$1")
tests=$(realpath "$(dirname "$0")")
place=$(mktemp -d)
trap '/bin/rm -rf "$place"' EXIT
"${2:-python3}" -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "$wheel" 'pytest>=8,<9.2'
cp "$tests/test_wheel.py" "$place"
cd "$place"
PATH="$place/venv/bin"
if command -v c++ || command -v g++ || command -v cc; then echo "a compiler is on PATH" >&2; exit 1; fi
python -m pytest -q -p no:cacheprovider test_wheel.py
dugraph demo -o demo > demo.txt 2>&1 || { while read -r line; do echo "$line"; done < demo.txt; exit 1; }
while read -r line; do case $line in *"planted subgraphs"*|Accuracy*) echo "$line";; esac; done < demo.txt
