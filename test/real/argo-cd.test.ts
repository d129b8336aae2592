/** What Belay writes into an Application, and what the twin's Argo CD does to it, against the CRD that Argo CD itself has. Needs Go, to fetch it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createGitOpsActivities } from '../../activities/kubernetes/gitops/await-delivered.ts';
import { prune } from '../../rehearsal/kubernetes/schemas/fill.ts';
import type { Schema } from '../../rehearsal/kubernetes/schemas/schema.ts';
import { validate } from '../../rehearsal/kubernetes/schemas/validate.ts';
import type { KubeObject } from '../../rehearsal/kubernetes/store.ts';
import { MINUTE_MS, steppedWorld } from '../rehearsal/support.ts';
import { CLUSTER } from '../support/facts.ts';
import { depsOf, FakeKubernetes } from '../support/fake-kubernetes.ts';

const MODULE = 'github.com/argoproj/argo-cd/v2@v2.14.15';

let schema: Schema;
beforeAll(() => {
  const printed = execFileSync('go', ['mod', 'download', '-json', MODULE], { cwd: tmpdir(), encoding: 'utf8' });
  const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(printed));
  const definition = parse(readFileSync(join(Dir, 'manifests/crds/application-crd.yaml'), 'utf8'));
  schema = definition.spec.versions[0].schema.openAPIV3Schema;
  // As the twin serves it: what controllers write into status needs no subresource.
  expect(definition.spec.versions[0].subresources).toEqual({});
});

/** Fields that the real API server would drop, and what it would refuse. */
function faults(object: object): unknown[] {
  const copy = structuredClone(object);
  return [...prune(copy, schema, true), ...validate(copy, schema)];
}

test('every field that Belay and the twin write is one of the real Application', async () => {
  const built = steppedWorld('karpenter-argo');
  built.step(MINUTE_MS);
  const application = (): KubeObject => {
    const found = built.world.store.get('applications', 'karpenter', 'argocd');
    if (found === undefined) throw new Error('the Application is gone');
    return found;
  };
  expect(faults(application())).toEqual([]);
  // What the activity makes of it goes back into the world.
  const ref = { apiVersion: 'argoproj.io/v1alpha1', plural: 'applications', namespace: 'argocd', name: 'karpenter' };
  const port = new FakeKubernetes().put(ref.apiVersion, ref.plural, application());
  const chart = { kind: 'Application' as const, namespace: 'argocd', name: 'karpenter', chart: 'karpenter', version: '1.1.10' };
  const { setDeliveredVersion } = createGitOpsActivities(depsOf(port));
  await setDeliveredVersion({ cluster: CLUSTER, chart, to: '1.2.8', token: 't-1', skipCrds: true });
  const written = port.look(ref);
  expect(faults(written)).toEqual([]);
  built.world.store.update('applications', 'karpenter', 'argocd', (copy) => {
    Object.assign(copy, { spec: written.spec, operation: written['operation'] });
  });
  for (let step = 0; step < 10; step += 1) {
    built.step(MINUTE_MS / 6);
    expect(faults(application())).toEqual([]);
  }
  expect(application()['status'].operationState.phase).toBe('Succeeded');
});

test('a field that is none would be found', () => {
  expect(
    faults({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'x' },
      spec: { skipCrds: true },
      operation: { sync: 1 },
    }),
  ).not.toEqual([]);
});
