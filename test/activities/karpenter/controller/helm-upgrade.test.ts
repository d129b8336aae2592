/** The real helm against the Kubernetes stand-in: Karpenter's CRDs adopted, both charts upgraded with the values of their releases. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionFactory } from '../../../../activities/clients/kubernetes/connection.ts';
import { createKubernetesPort } from '../../../../activities/clients/kubernetes/client.ts';
import { createTransport, type Transport } from '../../../../activities/clients/kubernetes/transport.ts';
import { readRelease } from '../../../../activities/kubernetes/helm/release.ts';
import { createKarpenterHelmActivities } from '../../../../activities/karpenter/controller/helm-upgrade.ts';
import type { KubernetesPort } from '../../../../activities/contract/ports.ts';
import { type ChartRepository, startChartRepository } from '../../../../rehearsal/neighbours/helm/repository.ts';
import { startKubernetesServer, type KubernetesServer } from '../../../../rehearsal/kubernetes/server.ts';
import type { BuiltWorld } from '../../../../rehearsal/world/build.ts';
import { steppedWorld } from '../../../rehearsal/support.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf } from '../../../support/fake-kubernetes.ts';
import { describeWithHelm, HELM } from '../../../support/tools.ts';
import { createHelmRunner } from '../../../../activities/kubernetes/helm/runner.ts';
import { kubeconfigText } from '../../../../activities/clients/kubernetes/kubeconfig.ts';

const NAMESPACE = 'kube-system';
const TO = '1.9.2';
const CRDS = ['ec2nodeclasses.karpenter.k8s.aws', 'nodepools.karpenter.sh', 'nodeclaims.karpenter.sh'];

describeWithHelm('Karpenter by helm', () => {
  let folder: string;
  let built: BuiltWorld;
  let server: KubernetesServer;
  let transport: Transport;
  let port: KubernetesPort;
  let repository: ChartRepository;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'belay-test-'));
    await writeFile(join(folder, 'helm'), `#!/bin/sh\necho $$ >"${folder}/pid"\necho "$@" >>"${folder}/calls"\nexec ${HELM} "$@"\n`, {
      mode: 0o700,
    });
    built = steppedWorld('karpenter-helm');
    const { store, journal, clock } = built.world;
    server = await startKubernetesServer({
      store,
      journal,
      now: () => clock.now(),
      version: () => '1.34',
      down: () => false,
      staticTokens: ['human'],
    });
    const { url: endpoint, caData } = server;
    transport = createTransport(
      connectionFactory(
        { ref: CLUSTER },
        { endpoint: async () => ({ endpoint, caData }), tokens: { token: async () => 'human', renew: () => undefined } },
      ),
    );
    port = createKubernetesPort(transport);
    repository = await startChartRepository();
  });
  afterEach(async () => {
    await transport.close();
    await Promise.all([server.close(), repository.close()]);
    await rm(folder, { recursive: true });
  });

  function upgrade(where: { chart?: string; crdRelease?: string } = {}) {
    const kubeconfig = async () => ({
      kind: 'text' as const,
      text: kubeconfigText({ name: 'prod', endpoint: server.url, caData: server.caData, token: 'human' }),
    });
    const helm = createHelmRunner({ binary: join(folder, 'helm'), env: { PATH: process.env['PATH'], HOME: folder }, kubeconfig });
    return createKarpenterHelmActivities({ ...depsOf(port), helm, pendingWaitMs: 0 }).upgradeKarpenterWithHelm({
      cluster: CLUSTER,
      namespace: NAMESPACE,
      deployment: 'karpenter',
      to: TO,
      token: 'belay-1',
      where: { chart: repository.url, ...where },
    });
  }

  const changes = () =>
    built.world.journal.mutations.filter(({ accepted }) => accepted).map(({ operation, resource }) => `${operation} ${resource}`);
  const deployment = () => built.world.store.get('deployments', 'karpenter', NAMESPACE);
  const crd = (name: string) => built.world.store.get('customresourcedefinitions', name)?.metadata;

  test('adopts the CRDs that are nobody’s, installs karpenter-crd, then upgrades karpenter with its values; a second call changes nothing', async () => {
    const uids = CRDS.map((name) => crd(name)?.uid);
    expect(await upgrade()).toEqual({ adopted: CRDS });
    expect(CRDS.map((name) => crd(name)?.uid)).toEqual(uids);
    expect(crd('nodepools.karpenter.sh')).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/version': TO },
      annotations: { 'meta.helm.sh/release-name': 'karpenter-crd', 'meta.helm.sh/release-namespace': NAMESPACE },
    });
    expect(deployment()?.['spec'].template.spec).toMatchObject({
      nodeSelector: { 'eks.amazonaws.com/nodegroup': 'default' },
      containers: [{ image: `public.ecr.aws/karpenter/controller:${TO}`, env: [{ name: 'CLUSTER_NAME', value: 'karpenter-helm' }] }],
    });
    expect(await readRelease(port, NAMESPACE, 'karpenter')).toMatchObject({
      revision: 2,
      status: 'deployed',
      ours: true,
      chart: { version: TO },
    });
    const made = changes();
    expect(made.indexOf('create secrets secrets/kube-system/sh.helm.release.v1.karpenter-crd.v1')).toBeLessThan(
      made.indexOf('create secrets secrets/kube-system/sh.helm.release.v1.karpenter.v2'),
    );
    expect(await upgrade()).toEqual({ adopted: [] });
    expect(changes()).toEqual(made);
    expect(await readFile(join(folder, 'calls'), 'utf8')).not.toMatch(/human|clusterName/);
  });

  test.each([
    ['the record of the CRDs is written', 'create secrets', 'karpenter-crd.v1', 'pending-install'],
    ['the record of the controller is written', 'create secrets', 'karpenter.v2', 'pending-upgrade'],
    ['the Deployment is changed', 'patch deployments', 'karpenter', 'pending-upgrade'],
  ])('helm killed right after %s: the next attempt takes it up', async (_title, operation, resource, status) => {
    let killed = false;
    built.world.journal.onMutation(async (mutation) => {
      if (killed || !mutation.accepted || mutation.operation !== operation || !mutation.resource.endsWith(resource)) return;
      killed = true;
      process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')), 'SIGKILL');
    });
    await expect(upgrade()).rejects.toMatchObject({ type: 'InvalidRequest' });
    expect((await readRelease(port, NAMESPACE, resource === 'karpenter-crd.v1' ? 'karpenter-crd' : 'karpenter'))?.status).toBe(status);
    await upgrade();
    const releases = await Promise.all(['karpenter-crd', 'karpenter'].map((name) => readRelease(port, NAMESPACE, name)));
    expect(releases.map((release) => [release?.status, release?.chart.version])).toEqual([
      ['deployed', TO],
      ['deployed', TO],
    ]);
    expect(deployment()?.['spec'].template.spec.containers[0].image).toBe(`public.ecr.aws/karpenter/controller:${TO}`);
  });

  test('an image that the values pin does not hold the new chart back', async () => {
    const image = { tag: '1.6.8', digest: 'sha256:00', repository: 'registry.example.com/karpenter' };
    editRelease('v1', ({ config }) => void (config['controller'] = { image }));
    await upgrade();
    expect(deployment()?.['spec'].template.spec.containers[0].image).toBe(`registry.example.com/karpenter:${TO}`);
  });

  const otherwise: [string, () => void, string][] = [
    ['another chart', () => editRelease('v2', ({ chart }) => void (chart.metadata.version = '1.9.0')), 'it has chart 1.9.0'],
    ['other values', () => editRelease('v2', (record) => void (record.config = { replicas: 1 })), 'it has other values than were given'],
    ['no end', () => relabelRelease({ status: 'pending-rollback' }, 'v2'), 'it is pending-rollback'],
  ];
  test.each(otherwise)('what Helm has recorded is read back: %s is not taken for the upgrade', async (_title, meddle, lack) => {
    let meddled = false;
    built.world.journal.onMutation(({ accepted, operation, resource }) => {
      if (meddled || !accepted || operation === 'create secrets' || !resource.endsWith('release.v1.karpenter.v2')) return;
      meddled = true;
      meddle();
    });
    await expect(upgrade()).rejects.toThrow(
      `upgrading Helm release ${NAMESPACE}/karpenter to ${TO}: read back, ${lack}; somebody else is at work on it`,
    );
  });

  const refusals: [string, () => void, { chart?: string; crdRelease?: string }, string][] = [
    [
      'somebody else’s operation is under way',
      () => relabelRelease({ status: 'pending-upgrade' }),
      {},
      'looking at Helm release kube-system/karpenter: another operation is in progress (pending-upgrade); let it end, or helm rollback or uninstall it, then retry',
    ],
    [
      'somebody’s last operation failed',
      () => relabelRelease({ status: 'failed' }),
      {},
      'looking at Helm release kube-system/karpenter: its last operation is failed; helm rollback it to what runs, then retry',
    ],
    [
      'there is no release',
      () => built.world.store.delete('secrets', 'sh.helm.release.v1.karpenter.v1', NAMESPACE),
      {},
      'looking for the Helm release of Karpenter: there is no release kube-system/karpenter; if something else installs Karpenter, say so in managedBy.karpenter',
    ],
    [
      'a CRD belongs to another release that is there',
      () => annotateDefinition({ 'meta.helm.sh/release-name': 'karpenter', 'meta.helm.sh/release-namespace': NAMESPACE }),
      {},
      'adopting customresourcedefinitions/nodepools.karpenter.sh for Helm release kube-system/karpenter-crd: Helm release kube-system/karpenter owns it; let that owner upgrade it and say so in managedBy, name its release in belay.yaml, or give it up there',
    ],
    [
      'Argo CD delivers a CRD',
      () =>
        annotateDefinition({
          'argocd.argoproj.io/tracking-id': 'crds:apiextensions.k8s.io/CustomResourceDefinition:/nodepools.karpenter.sh',
        }),
      {},
      'adopting customresourcedefinitions/nodepools.karpenter.sh for Helm release kube-system/karpenter-crd: Argo CD owns it; let that owner upgrade it and say so in managedBy, or give it up there',
    ],
  ];
  test.each(refusals)('%s: refused, and the Deployment stays', async (_title, arrange, where, message) => {
    arrange();
    built.world.journal.mutations.length = 0;
    await expect(upgrade(where)).rejects.toThrow(message);
    expect(changes().filter((change) => !change.startsWith('patch customresourcedefinitions'))).toEqual([]);
  });

  test('a CRD of a release that is gone is adopted', async () => {
    annotateDefinition({ 'meta.helm.sh/release-name': 'old-crds', 'meta.helm.sh/release-namespace': 'karpenter' });
    expect((await upgrade()).adopted).toEqual(CRDS);
  });

  test('a registry without the version is refused before anything is changed', async () => {
    const chart = join(import.meta.dirname, '../../../../rehearsal/neighbours/helm/charts/base');
    built.world.journal.mutations.length = 0;
    await expect(upgrade({ chart })).rejects.toThrow(
      `looking for chart karpenter-crd ${TO}: ${chart} is 1.28.3; set karpenter.crdChart in belay.yaml to a registry or a path that has ${TO}`,
    );
    expect(changes()).toEqual([]);
  });

  interface HelmRecord {
    config: Record<string, unknown>;
    chart: { metadata: { version: string } };
  }

  function editRelease(revision: string, edit: (record: HelmRecord) => void): void {
    built.world.store.update('secrets', `sh.helm.release.v1.karpenter.${revision}`, NAMESPACE, (copy) => {
      const twice = Buffer.from(copy['data'].release, 'base64').toString();
      const record = JSON.parse(gunzipSync(Buffer.from(twice, 'base64')).toString()) as HelmRecord;
      edit(record);
      copy['data'].release = Buffer.from(gzipSync(JSON.stringify(record)).toString('base64')).toString('base64');
    });
  }

  function relabelRelease(labels: Record<string, string>, revision = 'v1'): void {
    built.world.store.update(
      'secrets',
      `sh.helm.release.v1.karpenter.${revision}`,
      NAMESPACE,
      ({ metadata }) => void Object.assign(metadata.labels ?? {}, labels),
    );
  }

  function annotateDefinition(annotations: Record<string, string>): void {
    built.world.store.update(
      'customresourcedefinitions',
      'nodepools.karpenter.sh',
      undefined,
      ({ metadata }) => void Object.assign(metadata, { annotations }),
    );
  }
});
