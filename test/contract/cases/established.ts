/** When a CustomResourceDefinition has come into effect. */
import type { Conversation } from '../conversation.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- any object with conditions
export function established(body: any): boolean {
  return body.status?.conditions?.some(
    (condition: { type: string; status: string }) => condition.type === 'Established' && condition.status === 'True',
  );
}

/** A real server serves a new type a moment after its definition is established. */
export async function ready(talk: Conversation, path: string): Promise<void> {
  await talk.eventually(path, (body) => body.kind?.endsWith('List'), { pick: () => 'served' });
}
