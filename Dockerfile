# Two stages: the binary is built from the lock file, then runs alone, without root, on a small glibc system.
# The digest says which image it is, the tag only what people call it. A newer one's: docker buildx imagetools inspect IMAGE:TAG
FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY bunfig.toml tsconfig.json ./
COPY src ./src
RUN npm run build

FROM debian:12-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
# Not pinned: the authorities' certificates should be the newest, and nothing else comes with them but openssl.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --create-home poundkey
COPY --from=build /app/dist/poundkey /usr/local/bin/poundkey
COPY --from=build /app/dist/poundkey.cdx.json /usr/local/share/poundkey/poundkey.cdx.json
USER poundkey
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q 200"]
ENTRYPOINT ["/usr/local/bin/poundkey"]
CMD ["serve", "--host", "0.0.0.0"]
