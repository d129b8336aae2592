/** Lists of metadata alone, where the Accept header asks for them: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go, asPartialObjectMetadataList. */
import type { KubeObject } from '../../store.ts';

const PARTIAL = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/** The list's own kind, and its items; undefined: whole objects are asked for. */
export function metadataList(
  accept: string | undefined,
  items: readonly KubeObject[],
): { kind: string; apiVersion: string; items: object[] } | undefined {
  if (!/as=PartialObjectMetadataList(?![\w])/.test(accept ?? '')) return undefined;
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: PARTIAL.apiVersion,
    items: items.map(({ metadata }) => ({ ...PARTIAL, metadata })),
  };
}
