/** All areas of the contract. */
import { hasKubectl } from '../../support/tools.ts';
import type { Area } from '../suite.ts';
import { access } from './access.ts';
import { clientNode } from './client-node.ts';
import { controllers } from './controllers.ts';
import { conversions } from './conversions.ts';
import { defaults } from './defaults.ts';
import { definitions } from './definitions.ts';
import { health } from './health.ts';
import { kubectl } from './kubectl.ts';
import { managedFields } from './managed-fields.ts';
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
  managedFields,
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
const compares = hasKubectl();
if (!compares && process.env['CI'] !== undefined) throw new Error('Under CI nothing is left out: no kubectl on the PATH');

/** What needs the controller manager and the scheduler beside it. */
export const CONTROLLER_AREAS: readonly Area[] = [controllers, ...(compares ? [kubectl] : [])];
