/** Nothing gets into a snapshot but what the allow-list names: a canary in every text of a cluster, and the list read by other code than the one that applies it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject, KubernetesPort, ListQuery } from '../../../../activities/contract/ports.ts';
import { AwsRecorder } from '../../../../activities/observe/snapshot/record-aws.ts';
import { takeSnapshot } from '../../../../activities/observe/snapshot/take.ts';
import { CALLS, LISTS, METADATA, WRITERS } from '../../../../domain/facts/snapshot/allowed/index.ts';
import { ANNOTATIONS, LABEL_DOMAINS, LABELS } from '../../../../domain/facts/snapshot/marks.ts';
import { isRecord } from '../../../../domain/core/unknown.ts';
import { QUICK } from '../../support/timing.ts';
import { startTwin, type Twin } from '../../support/twin.ts';
import { RICH } from './rich-objects.ts';

/** Where each canary was put: "v1 pods spec.containers[].image". */
const planted = new Map<string, string>();

let twin: Twin;
let text: string;
const directory = mkdtempSync(join(tmpdir(), 'belay-canaries-'));

/** Maps whose keys anybody may choose: what is put there is a label or a resource. */
const OPEN = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'selector',
  'requests',
  'limits',
  'capacity',
  'allocatable',
  'resources',
  'tags',
]);

/** The same value with a canary in the place of every text. `where`: what it is of. */
function withCanaries(value: unknown, where: string, path = ''): unknown {
  if (typeof value === 'string') {
    const canary = `cnry${planted.size}qz`;
    planted.set(canary, `${where} ${path}`);
    return canary;
  }
  if (Array.isArray(value)) return value.map((each) => withCanaries(each, where, `${path}[]`));
  if (!isRecord(value) || value instanceof Date) return value;
  const isOpen = OPEN.has(path.slice(path.lastIndexOf('→') + 1));
  return Object.fromEntries(
    Object.entries(isOpen ? value : { ...value, notOnAnyList: 'x' }).map(([name, inner]) => [
      name,
      withCanaries(inner, where, path === '' ? name : `${path}→${name}`),
    ]),
  );
}

const planting = (port: KubernetesPort): KubernetesPort => ({
  ...port,
  list: async <T extends KubeObject>(query: ListQuery, keep: (object: T) => T | undefined = (object) => object) => {
    const { apiVersion, plural } = query;
    const rich = RICH[plural];
    const plant = (object: unknown): T => withCanaries(object, `${apiVersion} ${plural}`) as T;
    if (rich !== undefined) keep(plant(rich));
    return await port.list<T>(query, (object) => keep(plant(object)));
  },
});

beforeAll(async () => {
  twin = await startTwin('seed-002');
  const file = join(directory, 'canaries.gz');
  const { kubernetes } = await twin.clients.clusterPorts(twin.ref);
  // The recorder hears of canaries, who asks hears of names: what is asked next follows from them.
  const { call } = AwsRecorder.prototype;
  AwsRecorder.prototype.call = function (asked, ask, outputOf) {
    return call.call(this, asked, ask, (given) => withCanaries(outputOf(given), `${asked.service} ${asked.operation}`));
  };
  try {
    const [aws, account] = [twin.clients.aws(twin.ref), twin.clients.account(twin.ref)];
    await takeSnapshot({ aws, account, kubernetes: planting(kubernetes), ref: twin.ref, timing: QUICK, file, belay: '0.1.0' });
  } finally {
    AwsRecorder.prototype.call = call;
  }
  text = gunzipSync(readFileSync(file)).toString();
});
afterAll(async () => {
  await twin.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The list as regular expressions of whole paths; without those of stand-ins, which let no text through. */
const patterns = new Map<string, RegExp>(
  [
    ...LISTS.map(({ apiVersion, plural, groups, writers }) => ({
      where: `${apiVersion} ${plural}`,
      paths: [...METADATA, ...(writers === true ? WRITERS : []), ...groups.flatMap(({ paths }) => paths)],
    })),
    ...CALLS.map(({ service, operation, groups }) => ({ where: `${service} ${operation}`, paths: groups.flatMap(({ paths }) => paths) })),
  ].map(({ where, paths }) => {
    const plain = paths.filter((path) => !path.includes('='));
    const marks = paths.filter((path) => /=(?:labels|annotations)$/.test(path)).map((path) => `${path.split('=')[0]}.*`);
    const source = [...plain, ...marks].map((path) =>
      path
        .split('.')
        .map((step) => (step === '*' ? '[^→]+' : step.replaceAll('[]', '\\[\\]')))
        .join('→'),
    );
    return [where, new RegExp(`^(?:${source.join('|')})$`)];
  }),
);

/** Whether a label's or an annotation's key may be in the file. */
function isKeptMark(path: string): boolean {
  const [, map = '', key = ''] = /(labels|annotations)→([^→]+)$/.exec(path) ?? [];
  if (map === 'annotations') return ANNOTATIONS[key] === true || key.startsWith('belay.dev/');
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : undefined;
  if (domain === undefined) return (LABELS as readonly string[]).includes(key) || SELECTED.has(key);
  return LABEL_DOMAINS.some((each) => domain === each || domain.endsWith(`.${each}`)) || SELECTED.has(key);
}

/** Keys that selectors of these objects name. */
const SELECTED = new Set(['pool', 'app', 'team', 'istio']);

test('F49: every canary that is in the file is where the allow-list lets text through', () => {
  expect(planted.size).toBeGreaterThan(5_000);
  const strays = [...text.matchAll(/cnry\d+qz/g)].flatMap(([canary]) => {
    const [service = '', name = '', ...rest] = (planted.get(canary) ?? '').split(' ');
    const path = rest.join(' ');
    const allowed = patterns.get(`${service} ${name}`)?.test(path) === true;
    const isMark = /(?:^|→)(?:labels|annotations)→[^→]+$/.test(path) && !path.startsWith('spec→template→metadata→labels');
    return allowed && (!isMark || isKeptMark(path) || service === 'eks') ? [] : [`${service} ${name} ${path.replaceAll('→', '.')}`];
  });
  expect([...new Set(strays)]).toEqual([]);
});

/** Values of labels; and EKS says in words what ails it. */
const SAFE = /(?:matchExpressions|requirements)\[\]\.values\[\]$|health\.issues\[\]\.message$/;

test('F49: none of the places in which people keep secrets is let through', () => {
  const kept = new Set([...text.matchAll(/cnry\d+qz/g)].map(([canary]) => (planted.get(canary) ?? '').replaceAll('→', '.')));
  const secret =
    /\.(?:env|envFrom|args|command|data|stringData|userData|values|valuesFrom|caBundle|url|repoURL|httpHeaders|path|volumeAttributes|schema|message|addresses|address|podIPs?|hostIP|externalName|clusterIP|tags\.token|configurationValues|imagePullSecrets|secretName|machineID|certificateAuthority|issuer|endpoint)(?:\b|\[)|last-applied|hostPath|notOnAnyList/;
  expect([...kept].filter((path) => secret.test(path) && !SAFE.test(path))).toEqual([]);
});

test('what decides is let through', () => {
  const kept = new Set([...text.matchAll(/cnry\d+qz/g)].map(([canary]) => (planted.get(canary) ?? '').replaceAll('→', '.')));
  for (const path of [
    'v1 pods metadata.name',
    'v1 pods spec.containers[].image',
    'v1 pods spec.volumes[].persistentVolumeClaim.claimName',
    'v1 nodes status.nodeInfo.kubeletVersion',
    'karpenter.k8s.aws/v1 ec2nodeclasses spec.amiFamily',
    'eks DescribeCluster cluster.version',
    'eks DescribeNodegroup nodegroup.releaseVersion',
  ])
    expect(kept).toContain(path);
});
