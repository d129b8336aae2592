/** What Belay writes into HelmReleases and OCIRepositories, and what the twin's Flux does to them, against the CRDs of Flux's own API modules. Needs Go. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createGitOpsActivities } from '../../activities/kubernetes/gitops/await-delivered.ts';
import { prune } from '../../rehearsal/kubernetes/schemas/fill.ts';
import type { Schema } from '../../rehearsal/kubernetes/schemas/schema.ts';
import { validate } from '../../rehearsal/kubernetes/schemas/validate.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { MINUTE_MS, steppedWorld } from '../rehearsal/support.ts';
import { CLUSTER } from '../support/facts.ts';
import { depsOf, FakeKubernetes } from '../support/fake-kubernetes.ts';
import { createIstioActivities } from '../../activities/istio/index.ts';

const MODULE = fileURLToPath(new URL('go/flux', import.meta.url));
const PACKAGES = ['github.com/fluxcd/helm-controller/api/v2', 'github.com/fluxcd/source-controller/api/v1'];
const KINDS = { helmreleases: 'helm.toolkit.fluxcd.io/v2', ocirepositories: 'source.toolkit.fluxcd.io/v1' } as const;
type Plural = keyof typeof KINDS;

const schemas = new Map<string, Schema>();
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-flux-crds-'));
  const paths = PACKAGES.map((name) => `paths=${name}`);
  execFileSync('go', ['tool', 'controller-gen', 'crd', ...paths, `output:crd:dir=${folder}`], { cwd: MODULE });
  for (const file of readdirSync(folder)) {
    const { spec } = parse(readFileSync(join(folder, file), 'utf8'));
    for (const { name, schema } of spec.versions) schemas.set(`${spec.group}/${name}/${spec.names.plural}`, schema.openAPIV3Schema);
  }
  rmSync(folder, { recursive: true });
}, 1_800_000);

/** Fields that the real API server would drop, and what it would refuse. */
function faults(plural: Plural, object: object): unknown[] {
  const schema = schemas.get(`${KINDS[plural]}/${plural}`);
  if (schema === undefined) throw new Error(`there is no CRD of ${plural}: ${[...schemas.keys()].join(', ')}`);
  const copy = structuredClone(object);
  return [...prune(copy, schema, true), ...validate(copy, schema)];
}

const objects = (world: World) =>
  (Object.keys(KINDS) as Plural[]).flatMap((plural) => world.store.list(plural).map((object) => ({ plural, object })));

/** A port with what the world has of Flux. */
function portOf(world: World): FakeKubernetes {
  const port = new FakeKubernetes();
  for (const { plural, object } of objects(world)) port.put(KINDS[plural], plural, object);
  return port;
}

test.each(['karpenter-flux', 'istio-flux', 'istio-flux-git'])(
  '%s: every field that the twin writes is one of the real objects',
  (scenario) => {
    const built = steppedWorld(scenario);
    for (let step = 0; step < 6; step += 1) {
      built.step(MINUTE_MS / 6);
      expect(objects(built.world).flatMap(({ plural, object }) => faults(plural, object))).toEqual([]);
    }
  },
);

test('a version and values that Belay writes', async () => {
  const { world } = steppedWorld('istio-flux');
  const port = portOf(world);
  const chart = { kind: 'HelmRelease' as const, namespace: 'flux-system', name: 'istio-base', chart: 'base', version: '1.26.2' };
  const values = [{ path: ['defaultRevision'], value: '1-28' }];
  for (const to of ['1.28', '1.28.3']) {
    await createGitOpsActivities(depsOf(port)).setDeliveredVersion({ cluster: CLUSTER, chart, to, token: 't-1', skipCrds: false, values });
    const ref = { apiVersion: KINDS.helmreleases, plural: 'helmreleases', namespace: 'flux-system', name: 'istio-base' };
    expect(faults('helmreleases', port.look(ref))).toEqual([]);
  }
});

test('objects of a new revision that Belay makes, and the old one on its way out', async () => {
  const { world } = steppedWorld('istio-flux');
  const port = portOf(world);
  const canary = { fromRevision: '1-26', fromVersion: '1.26.2', toRevision: '1-28', toMinor: '1.28', retire: { bakeMs: 0 }, waves: [] };
  const istio = createIstioActivities(depsOf(port));
  const { old } = await istio.examineIstioDelivery({ cluster: CLUSTER, kind: 'HelmRelease', canary });
  if (old === undefined) throw new Error('nothing delivers the old revision');
  for (const version of ['1.28', '1.28.3']) {
    await istio.createDeliveredRevision({ cluster: CLUSTER, old, canary, version, token: 't-1' });
    for (const plural of Object.keys(KINDS) as Plural[]) {
      const ref = { apiVersion: KINDS[plural], plural, namespace: 'flux-system', name: 'istiod-1-28' };
      expect(faults(plural, port.look(ref))).toEqual([]);
    }
  }
  let kept: unknown[] = ['nothing was patched'];
  port.afterPatch = (ref) => void (kept = faults('helmreleases', port.look(ref)));
  await istio.removeDeliveredRevision({ cluster: CLUSTER, chart: old, revision: '1-26', successor: '1-28' });
  expect(kept).toEqual([]);
});

test('a field that is none would be found', () => {
  const metadata = { name: 'x' };
  expect(
    faults('helmreleases', { apiVersion: KINDS.helmreleases, kind: 'HelmRelease', metadata, spec: { interval: '10m', version: 1 } }),
  ).not.toEqual([]);
});
