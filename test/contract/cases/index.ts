/** All areas of the contract. */
import { spawnSync } from 'node:child_process';
import type { Area } from '../suite.ts';
import { access } from './access.ts';
import { clientNode } from './client-node.ts';
import { controllers } from './controllers.ts';
import { conversions } from './conversions.ts';
import { defaults } from './defaults.ts';
import { definitions } from './definitions.ts';
import { health } from './health.ts';
import { kubectl } from './kubectl.ts';
import { patches } from './patches.ts';
import { reads } from './reads.ts';
import { subresources } from './subresources.ts';
import { tables } from './tables.ts';
import { watches } from './watches.ts';
import { writes } from './writes.ts';

/** What an API server alone answers for. */
export const API_AREAS: readonly Area[] = [
  health,
  reads,
  writes,
  patches,
  subresources,
  watches,
  definitions,
  conversions,
  access,
  defaults,
  tables,
  clientNode,
];

/** Its output is compared where it is installed. */
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** What needs the controller manager and the scheduler beside it. */
export const CONTROLLER_AREAS: readonly Area[] = [controllers, ...(hasKubectl ? [kubectl] : [])];
