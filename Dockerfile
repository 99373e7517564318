# Two images from one file:
#   docker build -t probelint .                                with Go: manifests and code
#   docker build -t probelint:manifests --target manifests .   manifests alone: static, 1 layer, no shell
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /out/ ./cmd/probelint

FROM gcr.io/distroless/static-debian12:nonroot AS manifests
COPY --from=build /out/probelint /usr/local/bin/probelint
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/probelint"]
CMD ["check", "--no-go", "."]

# The Go side is read from source: of the project, of its modules, and of the standard library, which the Go image brings.
FROM golang:1.26-alpine
RUN apk add --no-cache git && adduser -D -u 65532 probelint && git config --system --add safe.directory '*'
COPY --from=build /out/probelint /usr/local/bin/probelint
USER 65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/probelint"]
CMD ["check", "."]
