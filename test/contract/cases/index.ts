/** All areas of the contract. */
import type { Area } from '../suite.ts';
import { access } from './access.ts';
import { defaults } from './defaults.ts';
import { definitions } from './definitions.ts';
import { health } from './health.ts';
import { patches } from './patches.ts';
import { reads } from './reads.ts';
import { subresources } from './subresources.ts';
import { tables } from './tables.ts';
import { watches } from './watches.ts';
import { writes } from './writes.ts';

/** What an API server alone answers for. */
export const API_AREAS: readonly Area[] = [health, reads, writes, patches, subresources, watches, definitions, access, defaults, tables];
