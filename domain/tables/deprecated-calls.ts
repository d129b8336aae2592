/**
 * Series of the API server's /metrics: which types are called in deprecated versions, by labels group, version and resource
 * (k8s.io/apiserver, pkg/endpoints/metrics).
 */
export const DEPRECATED_CALLS = 'apiserver_requested_deprecated_apis';
