/** The real helm against the Kubernetes stand-in: a revision installed beside the old one, taken up after SIGKILL, retired. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionFactory } from '../../../../activities/clients/kubernetes/connection.ts';
import { createKubernetesPort } from '../../../../activities/clients/kubernetes/client.ts';
import { createTransport, type Transport } from '../../../../activities/clients/kubernetes/transport.ts';
import { readRelease } from '../../../../activities/kubernetes/helm/release.ts';
import type { KubernetesPort } from '../../../../activities/contract/ports.ts';
import { addDefinition } from '../../../../rehearsal/scenarios/parts/definition-parts.ts';
import { startChartRepository } from '../../../../rehearsal/neighbours/helm/repository.ts';
import { startStandIn } from '../../../rehearsal/kubernetes/harness.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { depsOf } from '../../../support/fake-kubernetes.ts';
import { describeWithHelm, HELM } from '../../../support/tools.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import { createHelmRunner, type HelmRunner } from '../../../../activities/kubernetes/helm/runner.ts';
import { kubeconfigText } from '../../../../activities/clients/kubernetes/kubeconfig.ts';

const cluster = CLUSTER;
const CHARTS = fileURLToPath(new URL('../../../../rehearsal/neighbours/helm/charts', import.meta.url));
const NAMESPACE = 'istio-system';
const signal = new AbortController().signal;

describeWithHelm('helm', () => {
  let folder: string;
  let standIn: Awaited<ReturnType<typeof startStandIn>>;
  let transport: Transport;
  let port: KubernetesPort;
  let helm: HelmRunner;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'belay-test-'));
    await writeFile(join(folder, 'helm'), `#!/bin/sh\necho $$ >"${folder}/pid"\necho "$@" >>"${folder}/calls"\nexec ${HELM} "$@"\n`, {
      mode: 0o700,
    });
    standIn = await startStandIn();
    const { url: endpoint, caData } = standIn.server;
    const tokens = { token: async () => 'human', renew: () => undefined };
    transport = createTransport(connectionFactory({ ref: CLUSTER }, { endpoint: async () => ({ endpoint, caData }), tokens }));
    port = createKubernetesPort(transport);
    const kubeconfig = async () => ({ kind: 'text' as const, text: kubeconfigText({ name: 'prod', endpoint, caData, token: 'human' }) });
    helm = createHelmRunner({ binary: join(folder, 'helm'), env: { PATH: process.env['PATH'], HOME: folder }, kubeconfig });
    standIn.store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await cp(CHARTS, join(folder, '1.26.2'), { recursive: true });
    for (const chart of ['istiod', 'base']) {
      const file = join(folder, '1.26.2', chart, 'Chart.yaml');
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll('1.28.3', '1.26.2'));
    }
    // As in the charts up to 1.23: CRDs are no part of the release.
    await rm(join(folder, '1.26.2', 'base', 'templates', 'crds.yaml'));
    await byHand('istio-base', 'base', { defaultRevision: '1-26' });
    await byHand('istiod-1-26', 'istiod', { revision: '1-26', pilot: { env: { PASSWORD: 'hunter2' } }, global: { tag: '1.26.2' } });
    standIn.journal.mutations.length = 0;
    await writeFile(join(folder, 'calls'), '');
  });
  afterEach(async () => {
    await transport.close();
    await standIn.server.close();
    await rm(folder, { recursive: true });
  });

  /** What people did before Belay came. */
  async function byHand(release: string, chart: string, values: object): Promise<void> {
    const args = ['install', release, join(folder, '1.26.2', chart), '--namespace', NAMESPACE, '--values', '-'];
    expect(await helm.run(args, { cluster, signal, input: JSON.stringify(values) })).toMatchObject({ code: 0 });
  }

  const activities = () => {
    const deps = depsOf(port, { policy: { managedBy: { ...policy().managedBy, istio: 'helm' } } });
    return createIstioActivities({ ...deps, helm, pendingWaitMs: 0 });
  };
  const canary = { fromRevision: '1-26', fromVersion: '1.26.2', toRevision: '1-28', toMinor: '1.28', retire: { bakeMs: 0 }, waves: [] };
  const install = () => activities().installIstioRevision({ cluster, canary, chart: join(CHARTS, 'istiod'), token: 'belay-1' });
  const retire = () => activities().retireIstioRevision({ cluster, revision: '1-26', successor: '1-28', token: 'belay-2' });
  const changes = () => standIn.journal.mutations.filter(({ accepted }) => accepted).map(({ operation }) => operation);
  const image = (revision: string): unknown =>
    standIn.store.get('deployments', `istiod-${revision}`, NAMESPACE)?.['spec'].template.spec.containers[0].image;

  test('installs the revision and its CRDs beside the old one, with its values; a second call changes nothing', async () => {
    expect(await install()).toEqual({ version: '1.28.3' });
    expect([image('1-26'), image('1-28')]).toEqual(['docker.io/istio/pilot:1.26.2', 'docker.io/istio/pilot:1.28.3']);
    expect(await readRelease(port, NAMESPACE, 'istiod-1-28')).toMatchObject({
      status: 'deployed',
      ours: true,
      config: { revision: '1-28', pilot: { env: { PASSWORD: 'hunter2' } } },
    });
    expect((await readRelease(port, NAMESPACE, 'istio-base'))?.chart.version).toBe('1.28.3');
    const validator = standIn.store.get('validatingwebhookconfigurations', 'istiod-default-validator');
    expect(validator?.['webhooks'][0].clientConfig.service.name).toBe('istiod-1-26');
    const before = changes().length;
    expect(await install()).toEqual({ version: '1.28.3' });
    expect(changes()).toHaveLength(before);
    const calls = await readFile(join(folder, 'calls'), 'utf8');
    expect(calls).not.toMatch(/human|hunter2|PASSWORD/);
  });

  test('CRDs that no release owns are adopted with their objects, where helm alone would refuse', async () => {
    const definition = 'gateways.networking.istio.io';
    addDefinition(standIn, {
      group: 'networking.istio.io',
      plural: 'gateways',
      kind: 'Gateway',
      scope: 'Namespaced',
      labels: { chart: 'istio' },
    });
    const gateway = { apiVersion: 'networking.istio.io/v1', kind: 'Gateway', metadata: { name: 'front', namespace: NAMESPACE } };
    const { metadata } = standIn.store.create('gateways.networking.istio.io', gateway);
    const { uid } = standIn.store.get('customresourcedefinitions', definition)?.metadata ?? {};
    const alone = await helm.run(['upgrade', 'istio-base', join(CHARTS, 'base'), '--namespace', NAMESPACE], { cluster, signal });
    expect(alone.stderr).toContain('exists and cannot be imported into the current release: invalid ownership metadata');
    expect(await install()).toEqual({ version: '1.28.3' });
    const adopted = standIn.store.get('customresourcedefinitions', definition);
    expect(adopted?.metadata).toMatchObject({ uid, labels: { 'app.kubernetes.io/version': '1.28.3' } });
    expect(standIn.store.get('gateways.networking.istio.io', 'front', NAMESPACE)?.metadata.uid).toBe(metadata.uid);
    expect(changes().filter((operation) => operation.startsWith('delete customresource'))).toEqual([]);
  });

  test.each([
    ['its record is written', 'create secrets'],
    ['istiod is created', 'create deployments'],
    ['the last object is created', 'create validatingwebhookconfigurations'],
  ])('killed right after %s: the next attempt takes it up', async (_title, moment) => {
    await install();
    await helm.run(['uninstall', 'istiod-1-28', '--namespace', NAMESPACE], { cluster, signal });
    let killed = false;
    standIn.journal.onMutation(async ({ operation, accepted }) => {
      if (killed || !accepted || operation !== moment) return;
      killed = true;
      process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')), 'SIGKILL');
    });
    await expect(install()).rejects.toMatchObject({ type: 'InvalidRequest' });
    expect((await readRelease(port, NAMESPACE, 'istiod-1-28'))?.status).toBe('pending-install');
    expect(await install()).toEqual({ version: '1.28.3' });
    expect((await readRelease(port, NAMESPACE, 'istiod-1-28'))?.status).toBe('deployed');
    expect(image('1-28')).toBe('docker.io/istio/pilot:1.28.3');
  });

  test.each(['never', 'create secrets', 'create deployments'])(
    'a retired revision comes back from its own record, killed: %s',
    async (moment) => {
      await install();
      await helm.run(['uninstall', 'istiod-1-26', '--namespace', NAMESPACE, '--keep-history'], { cluster, signal });
      const back = { release: { namespace: NAMESPACE, name: 'istiod-1-26' } };
      const again = {
        fromRevision: '1-28',
        fromVersion: '1.28.3',
        toRevision: '1-26',
        toMinor: '1.26',
        retire: { bakeMs: 0 },
        toVersion: '1.26.2',
        waves: [],
        back,
      };
      const installAgain = () =>
        activities().installIstioRevision({ cluster, canary: again, chart: join(folder, '1.26.2', 'istiod'), token: 'belay-4' });
      let killed = moment === 'never';
      standIn.journal.onMutation(async ({ operation, accepted }) => {
        if (killed || !accepted || operation !== moment) return;
        killed = true;
        process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')), 'SIGKILL');
      });
      if (!killed) await expect(installAgain()).rejects.toMatchObject({ type: 'InvalidRequest' });
      expect([await installAgain(), image('1-26')]).toEqual([{ version: '1.26.2' }, 'docker.io/istio/pilot:1.26.2']);
      expect(await readRelease(port, NAMESPACE, 'istiod-1-26')).toMatchObject({
        status: 'deployed',
        config: { global: { tag: '1.26.2' } },
      });
      expect((await readRelease(port, NAMESPACE, 'istio-base'))?.chart.version).toBe('1.28.3');
    },
  );

  test('a chart of another version is refused before anything is changed', async () => {
    const chart = join(folder, '1.26.2', 'istiod');
    await expect(activities().installIstioRevision({ cluster, canary, chart, token: 'belay-1' })).rejects.toThrow(
      `looking for chart istiod of Istio 1.28: ${chart} is 1.26.2; set istio.chart in belay.yaml`,
    );
    expect(changes()).toEqual([]);
  });

  test('from a chart repository the newest patch of the wanted minor is taken, of both charts', async () => {
    const repository = await startChartRepository();
    try {
      const next = { ...canary, toRevision: '1-30', toMinor: '1.30' };
      const chart = repository.url;
      expect(await activities().installIstioRevision({ cluster, canary: next, chart, token: 'belay-1' })).toEqual({ version: '1.30.2' });
      expect(image('1-30')).toBe('docker.io/istio/pilot:1.30.2');
      expect((await readRelease(port, NAMESPACE, 'istio-base'))?.chart.version).toBe('1.30.2');
      const none = { ...canary, toRevision: '1-31', toMinor: '1.31' };
      await expect(activities().installIstioRevision({ cluster, canary: none, chart, token: 'belay-1' })).rejects.toThrow(
        'set istio.chart in belay.yaml to a repository, an OCI reference or a path that has 1.31',
      );
    } finally {
      await repository.close();
    }
  });

  /** The new revision serves; tag default was set by istioctl and belongs to no release. */
  async function ready(): Promise<void> {
    await install();
    const own = standIn.store.get('mutatingwebhookconfigurations', 'istio-sidecar-injector-1-26');
    standIn.store.create('mutatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'istio-revision-tag-default', labels: { 'istio.io/tag': 'default', 'istio.io/rev': '1-26' } },
      webhooks: own?.['webhooks'],
    });
    for (const configuration of standIn.store.list('mutatingwebhookconfigurations')) {
      standIn.store.update('mutatingwebhookconfigurations', configuration.metadata.name, undefined, (copy) => {
        for (const webhook of copy['webhooks']) webhook.clientConfig.caBundle = 'Y2E=';
      });
    }
  }

  const called = (plural: string, name: string): unknown => standIn.store.get(plural, name)?.['webhooks'][0].clientConfig.service.name;

  test('no webhook of the cluster calls the old istiod any more when its first part is deleted', async () => {
    await ready();
    const seen: unknown[] = [];
    standIn.journal.onMutation(async ({ operation, accepted }) => {
      if (!accepted || !/^delete (deployments|services)$/.test(operation)) return;
      seen.push(called('validatingwebhookconfigurations', 'istiod-default-validator'));
      seen.push(called('mutatingwebhookconfigurations', 'istio-revision-tag-default'));
    });
    await retire();
    expect(seen).toEqual(['istiod-1-28', 'istiod-1-28', 'istiod-1-28', 'istiod-1-28']);
  });

  test.each(['delete deployments', 'delete services'])(
    'killed right after %s: the next attempt ends it, with the default tag and validator at the new revision',
    async (moment) => {
      await ready();
      let killed = false;
      standIn.journal.onMutation(async ({ operation, accepted }) => {
        if (killed || !accepted || operation !== moment) return;
        killed = true;
        process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')), 'SIGKILL');
      });
      await expect(retire()).rejects.toMatchObject({ type: 'InvalidRequest' });
      await retire();
      expect([image('1-26'), image('1-28')]).toEqual([undefined, 'docker.io/istio/pilot:1.28.3']);
      expect(called('validatingwebhookconfigurations', 'istiod-default-validator')).toBe('istiod-1-28');
      expect(called('mutatingwebhookconfigurations', 'istio-revision-tag-default')).toBe('istiod-1-28');
      const patches = changes().filter((operation) => operation.startsWith('patch ') && operation.includes('webhookconfigurations'));
      expect(patches).toEqual(['patch mutatingwebhookconfigurations', 'patch validatingwebhookconfigurations']);
    },
  );

  test('the way back stays: helm rollback brings the retired revision again with its chart and values', async () => {
    await ready();
    await retire();
    expect(image('1-26')).toBeUndefined();
    const back = await helm.run(['rollback', 'istiod-1-26', '1', '--namespace', NAMESPACE], { cluster, signal });
    expect(back).toMatchObject({ code: 0 });
    expect(image('1-26')).toBe('docker.io/istio/pilot:1.26.2');
    expect((await readRelease(port, NAMESPACE, 'istiod-1-26'))?.config).toMatchObject({ pilot: { env: { PASSWORD: 'hunter2' } } });
  });

  test('a retired revision can be installed again under its old name', async () => {
    await ready();
    await retire();
    const chart = join(folder, '1.26.2', 'istiod');
    const args = ['upgrade', '--install', 'istiod-1-26', chart, '--namespace', NAMESPACE, '--set', 'revision=1-26'];
    expect(await helm.run(args, { cluster, signal })).toMatchObject({ code: 0 });
    expect(image('1-26')).toBe('docker.io/istio/pilot:1.26.2');
  });

  test('retires the old revision: the validator first, then all of it; a second call changes nothing', async () => {
    await ready();
    await retire();
    const left = [
      'deployments',
      'services',
      'configmaps',
      'poddisruptionbudgets',
      'mutatingwebhookconfigurations',
      'validatingwebhookconfigurations',
    ].flatMap((plural) => standIn.store.list(plural).filter(({ metadata }) => metadata.labels?.['istio.io/rev'] === '1-26'));
    expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    expect(image('1-28')).toBe('docker.io/istio/pilot:1.28.3');
    const validator = standIn.store.get('validatingwebhookconfigurations', 'istiod-default-validator');
    expect(validator?.['webhooks'][0].clientConfig.service.name).toBe('istiod-1-28');
    const before = changes().length;
    await retire();
    expect(changes()).toHaveLength(before);
  });

  test('the next upgrade of istio-base leaves the validator with the revision that runs, not with the one that its values name', async () => {
    await install();
    standIn.store.update('validatingwebhookconfigurations', 'istiod-default-validator', undefined, (copy) => {
      copy['webhooks'][0].clientConfig.service.name = 'istiod-1-28';
    });
    await cp(CHARTS, join(folder, '1.30.2'), { recursive: true });
    for (const name of ['istiod', 'base']) {
      const file = join(folder, '1.30.2', name, 'Chart.yaml');
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll('1.28.3', '1.30.2'));
    }
    const next = { fromRevision: '1-28', fromVersion: '1.28.3', toRevision: '1-30', toMinor: '1.30', retire: { bakeMs: 0 }, waves: [] };
    await activities().installIstioRevision({ cluster, canary: next, chart: join(folder, '1.30.2', 'istiod'), token: 'belay-3' });
    const validator = standIn.store.get('validatingwebhookconfigurations', 'istiod-default-validator');
    expect(validator?.['webhooks'][0].clientConfig.service.name).toBe('istiod-1-28');
  });
});
