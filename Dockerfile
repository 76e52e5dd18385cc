# Two stages: the binary is built from the lock file, then runs alone, without root, a shell or a package manager.
# The digest says which image it is, the tag only what people call it. A newer one's: docker buildx imagetools inspect IMAGE:TAG
FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
# Not pinned: the authorities' certificates should be the newest.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY bunfig.toml tsconfig.json ./
COPY src ./src
# For `poundkey --version`: docker build --build-arg POUNDKEY_COMMIT=$(git rev-parse --short=12 HEAD).
ARG POUNDKEY_COMMIT
RUN npm run build && src/deploy/image/rootfs.sh dist/poundkey /rootfs

# From here on as in src/deploy/image/Dockerfile.
FROM scratch
COPY --from=build /rootfs/system /
COPY --from=build --chown=10001:10001 /rootfs/own /
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=2h CMD ["/usr/local/bin/poundkey", "health"]
ENTRYPOINT ["/usr/local/bin/poundkey"]
CMD ["serve", "--host", "0.0.0.0"]
