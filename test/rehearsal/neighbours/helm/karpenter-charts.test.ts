/** Karpenter's charts of the rehearsal, rendered by the real helm: the same definitions and webhooks that Flux and Terraform bring. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { definitionsOf } from '../../../../rehearsal/controllers/karpenter/definitions.ts';
import { type ChartRepository, startChartRepository } from '../../../../rehearsal/neighbours/helm/repository.ts';
import type { KubeObject } from '../../../../rehearsal/kubernetes/store.ts';
import { describeWithHelm, HELM } from '../../../support/tools.ts';

describeWithHelm('rendered', () => {
  let folder: string;
  let repository: ChartRepository;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'charts-'));
    repository = await startChartRepository();
  });
  afterAll(async () => void (await Promise.all([repository.close(), rm(folder, { recursive: true })])));

  async function render(chart: string, version: string, ...set: string[]): Promise<KubeObject[]> {
    const archive = await fetch(`${repository.url}/${chart}-${version}.tgz`);
    expect(archive.status).toBe(200);
    const file = join(folder, `${chart}-${version}.tgz`);
    await writeFile(file, Buffer.from(await archive.arrayBuffer()));
    const values = set.flatMap((value) => ['--set', value]);
    const text = execFileSync(HELM ?? 'helm', ['template', chart, file, '--namespace', 'kube-system', ...values], { encoding: 'utf8' });
    return parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
  }

  test.each(['v0.32.10', 'v0.33.12', '0.37.7', '1.0.14', '1.1.10'])('definitions of %s', async (version) => {
    const definitions = (await render('karpenter-crd', version)).map(({ spec }) => ({
      group: spec.group,
      plural: spec.names.plural,
      kind: spec.names.kind,
      versions: spec.versions.map(({ name }: { name: string }) => name),
      storage: spec.versions.find(({ storage }: { storage: boolean }) => storage).name,
    }));
    expect(definitions).toEqual(definitionsOf(version, true));
  });

  test('their conversion is the chart’s, unless webhooks are switched off', async () => {
    const [on] = await render('karpenter-crd', '0.37.7');
    expect(on?.spec.conversion.webhook.clientConfig.service).toEqual({ name: 'karpenter', namespace: 'kube-system', port: 8443 });
    const [off] = await render('karpenter-crd', '0.37.7', 'webhook.enabled=false');
    expect([off?.spec.conversion, off?.spec.versions.length]).toEqual([undefined, 1]);
  });

  test('webhooks come with 0.37 and go with 1.0; the port stays until 1.1', async () => {
    const shape = async (version: string) => {
      const objects = await render('karpenter', version);
      const ports = objects.find(({ kind }) => kind === 'Service')?.spec.ports.map(({ name }: { name: string }) => name);
      return [objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration')).length, ports];
    };
    expect(await shape('0.37.7')).toEqual([4, ['http-metrics', 'https-webhook']]);
    expect(await shape('1.0.14')).toEqual([0, ['http-metrics', 'https-webhook']]);
    expect(await shape('1.1.10')).toEqual([0, ['http-metrics']]);
  });
});
