# Two stages: the binary is built from the lock file, then runs alone, without root, on a small glibc system.
FROM oven/bun:1.4.4-slim AS build
WORKDIR /app
COPY package.json package-lock.json bunfig.toml tsconfig.json ./
RUN bun install --ignore-scripts
COPY src ./src
RUN bun run build

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --create-home poundkey
COPY --from=build /app/dist/poundkey /usr/local/bin/poundkey
USER poundkey
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q 200"]
ENTRYPOINT ["/usr/local/bin/poundkey"]
CMD ["serve", "--host", "0.0.0.0"]
