/** Status codes of gRPC that mean something here: https://grpc.io/docs/guides/status-codes/ */
export const GRPC = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;
