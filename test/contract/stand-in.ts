/** The stand-in as the contract suite sees it. */
import { coreControllers } from '../../rehearsal/kubernetes/controllers/index.ts';
import { startKubernetesServer } from '../../rehearsal/kubernetes/server.ts';
import { makeWorld } from '../rehearsal/kubernetes/world.ts';
import { type ContractServer, READER, TOKENS } from './server.ts';

/** World time that passes in each tick, and how often there is one: pods and nodes of the suite are the test's own. */
const STEP_MS = 1000;
const TICK_MS = 15;

/** A stand-in of this minor; with controllers, all that a cluster has but kubelets, whose part the suite plays. */
export async function startStandIn(minor: string, options: { controllers?: boolean } = {}): Promise<ContractServer> {
  const { clock, store, world } = makeWorld();
  const controllers = coreControllers.filter(({ name }) => name !== 'kubelet');
  const ticking = setInterval(() => {
    clock.step(options.controllers ? STEP_MS : TICK_MS);
    if (options.controllers) for (const controller of controllers) controller.tick(world);
  }, TICK_MS);
  const server = await startKubernetesServer({
    store,
    journal: world.journal,
    now: () => clock.now(),
    version: () => minor,
    down: () => false,
    users: [
      { token: TOKENS.admin, name: 'admin', groups: ['system:masters'] },
      { token: TOKENS.reader, name: READER.name, groups: [READER.group] },
    ],
  });
  return {
    minor,
    url: server.url,
    caData: server.caData,
    compact: async () => server.compact(),
    close: async () => {
      clearInterval(ticking);
      await server.close();
    },
  };
}
