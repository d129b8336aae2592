/** Which cluster of belay.yaml a snapshot is of, and what is said where it is none. */
import { expect, test } from 'vitest';
import { matchSnapshot } from '../../../cli/shared/match-snapshot.ts';
import type { SnapshotHeader } from '../../../domain/facts/snapshot/format.ts';
import { validateConfig } from '../../../domain/policy/config/config.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { clusterSnapshot } from '../../support/clusters.ts';

const OURS = '111122223333';
const OTHERS = '444455556666';
const MAIN = { name: 'main', account: OURS, region: 'eu-west-1' };
const KEPT = { name: 'prod', eksName: 'main', account: OURS, region: 'eu-west-1' };

const header = (cluster: SnapshotHeader['cluster'], anonymized = false): SnapshotHeader => ({
  ...clusterSnapshot({}).header,
  cluster,
  anonymized,
});

function answer(of: SnapshotHeader, clusters: Record<string, object> | undefined, named?: string): string | undefined {
  const config = clusters === undefined ? {} : { config: validateConfig({ clusters }, { fileName: 'belay.yaml' }) };
  try {
    return matchSnapshot(of, { file: 'FILE', named, ...config });
  } catch (error) {
    return `! ${messageOf(error)}`;
  }
}

const at = (account: string, more: object = {}): object => ({ account, region: 'eu-west-1', ...more });
const DEFAULTS = "Belay's defaults are used";
const IS_MAIN = `EKS cluster main in account ${OURS}, eu-west-1`;

test.each<[string, SnapshotHeader, Record<string, object> | undefined, string | undefined, string | undefined]>([
  ['by EKS’s name where the file’s key is another', header(MAIN), { prod: at(OURS, { name: 'main' }) }, undefined, undefined],
  ['named by that key', header(MAIN), { prod: at(OURS, { name: 'main' }) }, 'prod', undefined],
  ['named as the snapshot has it', header(MAIN), { prod: at(OURS, { name: 'main' }) }, 'main', undefined],
  ['a snapshot with a key of its own', header(KEPT), { main: at(OURS) }, 'main', undefined],
  ['no belay.yaml, by either name', header(KEPT), undefined, 'main', undefined],
  [
    'no belay.yaml, another name',
    header(KEPT),
    undefined,
    'dev',
    '! FILE is a snapshot of prod, not of dev: leave the name out, or name the right file.',
  ],
  [
    'a cluster of the file that is another one',
    header(MAIN),
    { prod: at(OTHERS, { name: 'main' }) },
    'prod',
    `! FILE is a snapshot of ${IS_MAIN}; prod in belay.yaml is EKS cluster main in account ${OTHERS}, eu-west-1. Name the right file, correct clusters.prod.account, or leave the name out to use Belay's defaults.`,
  ],
  [
    'the snapshot’s name, which the file has for another cluster beside its own',
    header(MAIN),
    { prod: at(OURS, { name: 'main' }), main: at(OTHERS) },
    'main',
    `! FILE is a snapshot of ${IS_MAIN}; main in belay.yaml is EKS cluster main in account ${OTHERS}, eu-west-1. Name the right file, correct clusters.main.account, or leave the name out to use Belay's defaults.`,
  ],
  [
    'the same key, EKS has another name for it',
    header(MAIN),
    { main: at(OURS, { name: 'blue' }) },
    undefined,
    `${DEFAULTS}: the snapshot is of ${IS_MAIN}, and main in belay.yaml is EKS cluster blue in account ${OURS}, eu-west-1. If they are the same, correct clusters.main.name.`,
  ],
  [
    'the same name elsewhere',
    header(MAIN),
    { prod: { account: OTHERS, region: 'us-east-1', name: 'main' } },
    undefined,
    `${DEFAULTS}: the snapshot is of ${IS_MAIN}, and prod in belay.yaml is EKS cluster main in account ${OTHERS}, us-east-1. If they are the same, correct clusters.prod.account and clusters.prod.region.`,
  ],
  [
    'a cluster that the file does not know',
    header(MAIN),
    { dev: at(OURS) },
    undefined,
    `${DEFAULTS}: belay.yaml has no cluster that is ${IS_MAIN}. To use your own settings, add it there, with "name: main" if you call it something else.`,
  ],
  [
    'one without names',
    header({ name: 'cluster-abcdef', account: 'account-abcdef', region: 'eu-west-1' }, true),
    { prod: at(OURS) },
    undefined,
    `${DEFAULTS}: the snapshot is anonymized, so it matches no cluster of belay.yaml.`,
  ],
  [
    'one without names, and a name',
    header({ name: 'cluster-abcdef', account: 'account-abcdef', region: 'eu-west-1' }, true),
    { prod: at(OURS) },
    'prod',
    '! FILE is a snapshot of cluster-abcdef, not of prod: leave the name out, or name the right file.',
  ],
])('F38: %s', (_what, of, clusters, named, said) => {
  expect(answer(of, clusters, named)).toBe(said);
});
