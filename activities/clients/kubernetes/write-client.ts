/** One port of two: reads by one identity, changes by another that is asked for only at a change. */
import type { KubernetesPort } from '../../contract/ports.ts';

/** Questions that Kubernetes takes as objects to create. */
const QUESTIONS: ReadonlySet<string> = new Set(['selfsubjectaccessreviews', 'selfsubjectrulesreviews']);

/** `mayWrite` rejects where nothing may be changed now. */
export function readingAndWriting(reader: KubernetesPort, writer: KubernetesPort, mayWrite: () => Promise<void>): KubernetesPort {
  return {
    ...reader,
    async patch(ref, patch) {
      await mayWrite();
      return await writer.patch(ref, patch);
    },
    async create(ref, body) {
      if (QUESTIONS.has(ref.plural)) return await reader.create(ref, body);
      await mayWrite();
      return await writer.create(ref, body);
    },
    async delete(ref, options) {
      await mayWrite();
      await writer.delete(ref, options);
    },
  };
}
