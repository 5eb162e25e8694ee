# A node of Crescent Race. Build: docker build -t crescent-race .
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY protocol protocol
COPY server server
COPY client_cli client_cli
RUN python -m venv /opt/crescent && /opt/crescent/bin/pip install --no-cache-dir .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin crescent \
    && install -d -o crescent -g crescent -m 700 /data
COPY --from=build /opt/crescent /opt/crescent
ENV PATH=/opt/crescent/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CRESCENT_HOST=0.0.0.0 \
    CRESCENT_PORT=8000 \
    CRESCENT_DATA=/data \
    CRESCENT_DRAIN=5
USER crescent
WORKDIR /data
VOLUME /data
EXPOSE 8000
# SIGTERM drains: every connection is told to come back, over CRESCENT_DRAIN seconds.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=4s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['CRESCENT_PORT'] + '/readyz', timeout=3)"]
CMD ["crescent-server"]
