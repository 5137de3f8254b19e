//go:build dependency

// Package envoy pins Envoy's rate limit service, which the benchmark builds as it is published.
package envoy

import _ "github.com/envoyproxy/ratelimit/src/service_cmd/runner"
