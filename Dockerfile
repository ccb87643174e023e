# A static binary, then a small system with the sh and awk that skills' scripts expect.
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w" -o /baton ./cmd/baton

FROM alpine:3.22
RUN adduser -D -u 10001 baton \
    && install -d -o baton -g baton /var/lib/baton /workspace
COPY --from=build /baton /usr/local/bin/baton
COPY --chown=baton:baton examples /workspace/examples
USER baton
WORKDIR /workspace
ENV BATON_HOME=/var/lib/baton \
    BATON_SKILLS_PATH=/workspace/examples/skills
# /workspace is where runs work and leave outputs/; /var/lib/baton is the installation.
VOLUME ["/var/lib/baton", "/workspace"]
ENTRYPOINT ["baton"]
CMD ["serve"]
