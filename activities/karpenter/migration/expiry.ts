/** Which nodes have outlived expireAfter: up to 0.37 budgets hold their replacement up, from 1.0 on nothing does. */
import { parseDurationMs } from '../../../domain/core/parse-duration.ts';
import { count } from '../../../domain/core/text.ts';
import { at } from '../../../domain/plan/migration/edit.ts';
import type { NodeClaim, NodePool } from '../../clients/kubernetes/objects.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import type { Expiry, MigrationActivities } from '../../contract/karpenter-migration.ts';
import { judgeRole, type RoleClients } from './iam-role.ts';
import { listStored } from './stored-version.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';
import { nowOf } from '../../kubernetes/objects/server-time.ts';

/** Default of the CRD of v1beta1 and of v1. */
const DEFAULT = '720h';
const LINES = 6;

export function createExpiryActivities(deps: KubernetesDeps, roles?: RoleClients): Pick<MigrationActivities, 'foreseeExpiry'> {
  return {
    async foreseeExpiry({ cluster, withinMs }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const pools = (await listStored<NodePool>(port, 'nodepools.karpenter.sh'))?.objects ?? [];
      const claims = (await listStored<NodeClaim>(port, 'nodeclaims.karpenter.sh'))?.objects ?? [];
      const expiry = foresee(pools, claims, { nowMs: nowOf(port), withinMs });
      return roles === undefined ? expiry : { ...expiry, iam: await judgeRole(roles, port, cluster, 'v1') };
    },
  };
}

/** From 1.0 on a NodeClaim has its own; those of before get their pool's. */
function foresee(
  pools: readonly NodePool[],
  claims: readonly NodeClaim[],
  { nowMs, withinMs }: { nowMs: number; withinMs: number },
): Expiry {
  const total: Expiry = { pastCount: 0, soonCount: 0, lines: [] };
  for (const pool of pools) {
    const beta = at(pool, ['spec', 'disruption', 'expireAfter']);
    const expireAfter = (typeof beta === 'string' ? beta : pool.spec?.template?.spec?.expireAfter) ?? DEFAULT;
    const lifeMs = parseDurationMs(expireAfter);
    const own = claims.filter(({ metadata }) => metadata.labels?.[POOL] === pool.metadata.name);
    const ends = lifeMs === undefined ? [] : own.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') + lifeMs - nowMs);
    const past = ends.filter((leftMs) => leftMs <= 0).length;
    const soon = ends.filter((leftMs) => leftMs > 0 && leftMs <= withinMs).length;
    total.pastCount += past;
    total.soonCount += soon;
    const said = [past > 0 ? `${past} past it` : '', soon > 0 ? `${soon} within ${Math.round(withinMs / 3_600_000)} h of it` : ''];
    if (past + soon > 0)
      total.lines.push(
        `NodePool ${pool.metadata.name} (${count(own.length, 'node')}, expireAfter ${expireAfter}): ${said.filter((each) => each !== '').join(', ')}`,
      );
  }
  return { ...total, lines: total.lines.slice(0, LINES) };
}
