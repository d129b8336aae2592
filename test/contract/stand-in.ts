/** The stand-in as the contract suite sees it. */
import { createObjectStore } from '../../rehearsal/kubernetes/object-store.ts';
import { startKubernetesServer } from '../../rehearsal/kubernetes/server.ts';
import { Journal } from '../../rehearsal/world/journal.ts';
import { type ContractServer, READER, TOKENS } from './server.ts';

/** A stand-in of this minor, without controllers, in real time. */
export async function startStandIn(minor: string): Promise<ContractServer> {
  const now = (): Date => new Date();
  const store = createObjectStore({ now });
  const server = await startKubernetesServer({
    store,
    journal: new Journal(now),
    now,
    version: () => minor,
    down: () => false,
    users: [
      { token: TOKENS.admin, name: 'admin', groups: ['system:masters'] },
      { token: TOKENS.reader, name: READER.name, groups: [READER.group] },
    ],
  });
  return { minor, url: server.url, caData: server.caData, compact: async () => server.compact(), close: () => server.close() };
}
