# dugraph as a BIDS App: docker run -v DERIVATIVES:/in:ro -v RESULTS:/out dugraph /in /out group --positive patient
FROM python:3.11-slim-bookworm AS build
# The base image is of one Debian release, which fixes the compiler.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY requirements/release.txt requirements/
RUN pip install --no-cache-dir --require-hashes --requirement requirements/release.txt
COPY . .
RUN python -m build --wheel --no-isolation --outdir /wheels

FROM python:3.11-slim-bookworm
COPY requirements/container.txt /tmp/container.txt
RUN pip install --no-cache-dir --require-hashes --requirement /tmp/container.txt && rm /tmp/container.txt
COPY --from=build /wheels /tmp/wheels
RUN pip install --no-cache-dir --no-deps /tmp/wheels/*.whl && rm -r /tmp/wheels && dugraph doctor
RUN useradd --create-home --uid 1000 dugraph
USER 1000
WORKDIR /home/dugraph
ENTRYPOINT ["dugraph-bids"]
CMD ["--help"]
