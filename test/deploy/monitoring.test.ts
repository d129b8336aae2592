/** What the chart gives Prometheus, rendered by Helm: probes, who is scraped, and the alerts as they lie in their file. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeWithHelm, HELM } from '../support/tools.ts';
import { root, textOf, yamlOf } from './files.ts';
import { RULES } from './rules.ts';

interface Rendered {
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
}

const OPERATOR = ['--api-versions', 'monitoring.coreos.com/v1'];

function render(...args: string[]): Rendered[] {
  const { status, stdout, stderr } = spawnSync(
    HELM ?? 'helm',
    ['template', 'ours', join(root, 'deploy/chart'), '--set', 'config=x:', ...args],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
}

const one = (objects: Rendered[], kind: string, name = 'ours'): Rendered | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

interface Container {
  env: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  livenessProbe: unknown;
  readinessProbe: unknown;
}

function containerOf(objects: Rendered[], component: string): Container | undefined {
  const spec = one(objects, 'Deployment', `ours-${component}`)?.spec as { template: { spec: { containers: Container[] } } } | undefined;
  return spec?.template.spec.containers[0];
}

test('the rules say nothing that Helm would take for its own, and the chart has no other copy', () => {
  expect(textOf('deploy/chart/templates/monitoring.yaml')).toContain('.Files.Get "monitoring/rules.yaml"');
  expect(textOf('deploy/chart/templates/monitoring.yaml')).not.toContain('alert:');
});

describeWithHelm('helm template', () => {
  test('the rules of the PrometheusRule are those of the file', () => {
    const rule = one(render('--set', 'metrics.enabled=true', ...OPERATOR), 'PrometheusRule');
    expect(rule?.spec).toEqual(yamlOf(RULES)[0]);
  });

  test('without the operator, or unasked, nothing of it is made', () => {
    const kinds = (objects: Rendered[]): string[] => objects.map(({ kind }) => kind).filter((kind) => /^P.*(Monitor|Rule)$/.test(kind));
    expect(kinds(render('--set', 'metrics.enabled=true'))).toEqual([]);
    expect(kinds(render(...OPERATOR))).toEqual([]);
    expect(kinds(render('--set', 'metrics.enabled=true,metrics.rules.enabled=false', ...OPERATOR))).toEqual(['PodMonitor']);
  });

  test.each(['worker', 'slack'])('the %s is probed and scraped on a port of its own', (component) => {
    const objects = render('--set', 'metrics.enabled=true,metrics.port=9999', ...OPERATOR);
    const container = containerOf(objects, component);
    expect(container?.env).toContainEqual({ name: 'BELAY_METRICS_ADDRESS', value: ':9999' });
    expect(container?.ports).toContainEqual({ name: 'metrics', containerPort: 9999 });
    expect(container?.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'metrics' } });
    expect(container?.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'metrics' } });
    expect(one(objects, 'PodMonitor')?.spec).toMatchObject({
      jobLabel: 'app.kubernetes.io/name',
      podMetricsEndpoints: [{ port: 'metrics', path: '/metrics' }],
    });
    expect(one(objects, 'NetworkPolicy', `ours-${component}`)?.spec['ingress']).toEqual([{ ports: [{ port: 9999, protocol: 'TCP' }] }]);
  });

  test('who may scrape can be narrowed, and nobody else is let in where nothing scrapes', () => {
    const from = 'networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus';
    const narrowed = one(render('--set', `metrics.enabled=true,${from}`), 'NetworkPolicy', 'ours-worker')?.spec['ingress'];
    expect(narrowed).toEqual([
      { ports: [{ port: 9464, protocol: 'TCP' }], from: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] },
    ]);
    expect(one(render(), 'NetworkPolicy', 'ours-worker')?.spec['ingress']).toBeUndefined();
    expect(one(render(), 'NetworkPolicy', 'ours-slack')?.spec['ingress']).toBeUndefined();
  });

  test('O25: runs are shown by one process: the worker only where there is no Slack process', () => {
    const shows = (objects: Rendered[]): boolean =>
      containerOf(objects, 'worker')?.env.some(({ name, value }) => name === 'BELAY_METRICS_RUNS' && value === 'yes') ?? false;
    expect([shows(render()), shows(render('--set', 'slack.enabled=false'))]).toEqual([false, true]);
  });
});
