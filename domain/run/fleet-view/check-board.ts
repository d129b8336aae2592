/** Whoever may start workflows may have started a campaign with anything: what is no board is not shown as one, and takes no page with it. */
import type { CampaignPlan } from '../../plan/campaign/types.ts';
import { RING_STATES } from '../campaign/state.ts';
import { type BoardRing, type CampaignBoard, MEMBER_STATES } from './board.ts';

const PHASES: readonly CampaignBoard['state'][] = ['proposed', 'running', 'paused', 'stopped', 'complete', 'planned'];

/** Before it is forecast: waves of no cluster at a time never end. Throws as checkBoard. */
export function checkPlan({ rings, limits }: CampaignPlan): void {
  const { parallel, perAccount, perRegion } = limits;
  for (const [name, value] of Object.entries({ parallel, perAccount, perRegion })) if (value !== undefined) atLeastOne(name, value);
  for (const ring of rings) if (ring.members.length > 0) atLeastOne('parallel of a ring', ring.parallel);
}

/** Throws an error that names the first field that is not as it has to be. */
export function checkBoard(board: CampaignBoard): CampaignBoard {
  oneOf('state', board.state, PHASES);
  texts({ target: board.target, headline: board.headline });
  dates({ finishBy: board.finishBy, lookedAt: board.lookedAt });
  for (const { id, title, expiresAt } of board.gates) {
    texts({ 'gate id': id, 'gate title': title });
    dates({ 'gate expiresAt': expiresAt });
  }
  for (const { cluster, reason, until } of board.excluded) {
    texts({ ...cluster, reason });
    dates({ until });
  }
  board.rings.forEach(checkRing);
  for (const { from, until, soakUntil } of board.forecast?.rings ?? []) dates({ from, until, soakUntil });
  return board;
}

function checkRing({ name, state, note, soak, members }: BoardRing): void {
  texts({ 'ring name': name, note: note ?? '' });
  oneOf('ring state', state, [...RING_STATES, 'planned']);
  if (soak !== undefined) {
    oneOf('soak', soak.seen, ['green', 'red', 'unread', 'paused']);
    texts({ 'why of the soak': soak.why ?? '' });
    if (!Number.isFinite(soak.leftMs)) throw wrong('soak', soak.leftMs);
  }
  for (const member of members) {
    oneOf('state of a cluster', member.state, MEMBER_STATES);
    texts({ ...member.cluster, note: member.note ?? '' });
  }
}

function texts(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) if (typeof value !== 'string') throw wrong(name, value);
}

/** Absent ones are none. */
function dates(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && (typeof value !== 'string' || Number.isNaN(Date.parse(value)))) throw wrong(name, value);
}

function oneOf(name: string, value: unknown, known: readonly unknown[]): void {
  if (!known.includes(value)) throw wrong(name, value);
}

function atLeastOne(name: string, value: unknown): void {
  if (typeof value !== 'number' || !(value >= 1)) throw wrong(name, value);
}

const wrong = (name: string, value: unknown): Error => new Error(`${name} is ${JSON.stringify(value)?.slice(0, 80)}`);
