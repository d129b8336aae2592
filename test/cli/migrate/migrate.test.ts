/** `belay migrate karpenter`: a checkout as people have one, by the command that they type. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runBelay } from '../run-belay.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-migrate-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function file(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const migrate = (...args: string[]) => runBelay(['migrate', 'karpenter', '--dir', folder, ...args], { cwd: folder });

const POOL = `# The pool of the shop.
---
apiVersion: karpenter.sh/v1beta1 # beta
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      requirements:
      - key: karpenter.sh/capacity-type
        operator: In
        values: ["on-demand"]
      nodeClassRef:
        name: default
      kubelet:
        maxPods: 42
  disruption:
    consolidationPolicy: WhenUnderutilized # as small as can be
    expireAfter: 720h # a month
---
# Nobody has to touch this one.
kind:   ConfigMap
apiVersion: v1
metadata: { name: other }
`;

const CLASS = `apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata:
  name: default
spec:
  amiSelectorTerms:
    - id: ami-1
  amiFamily: AL2023
  role: "nodes-\${CLUSTER_NAME}" # replaced by the pipeline
`;

describe('v1beta1 → v1', () => {
  test('comments, order and what is not Karpenter’s stay as they are; files are written only when asked', async () => {
    file('pools/default.yaml', POOL);
    file('classes/default.yaml', CLASS);
    const shown = await migrate();
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('-    consolidationPolicy: WhenUnderutilized # as small as can be\n');
    expect(shown.stdout).toContain('    spec.disruption.consolidationPolicy: renamed in v1\n');
    expect(read('pools/default.yaml')).toBe(POOL);
    expect((await migrate('--write')).stdout).toContain('2 files written.');
    expect(read('pools/default.yaml')).toBe(`# The pool of the shop.
---
apiVersion: karpenter.sh/v1 # beta
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      requirements:
      - key: karpenter.sh/capacity-type
        operator: In
        values: ["on-demand"]
      nodeClassRef:
        name: default
        group: karpenter.k8s.aws
        kind: EC2NodeClass
      expireAfter: 720h # a month
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized # as small as can be
    consolidateAfter: 0s
---
# Nobody has to touch this one.
kind:   ConfigMap
apiVersion: v1
metadata: { name: other }
`);
    expect(read('classes/default.yaml')).toBe(`apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  amiSelectorTerms:
    - id: ami-1
  amiFamily: AL2023
  role: "nodes-\${CLUSTER_NAME}" # replaced by the pipeline
  metadataOptions:
    httpPutResponseHopLimit: 2
  kubelet:
    maxPods: 42
`);
    expect(await migrate('--check')).toMatchObject({ code: 0, stdout: 'Nothing to migrate.\n' });
  });

  test('templates, patches and broken files are told and left alone', async () => {
    const template = `{{- if .Values.pool }}\napiVersion: karpenter.sh/v1beta1\nkind: NodePool\n{{- end }}\n`;
    const terraform = 'resource "kubectl_manifest" "pool" {\n  yaml_body = "apiVersion: karpenter.sh/v1beta1"\n}\n';
    file('chart/templates/pool.yaml', template);
    file('main.tf', terraform);
    file(
      'kustomization.yaml',
      'kind: Kustomization\npatches:\n  - target: {group: karpenter.sh, version: v1beta1}\n    patch: "karpenter.sh/v1beta1"\n',
    );
    file('broken.yaml', 'apiVersion: karpenter.sh/v1beta1\nkind: [NodePool\n');
    const { code, stdout, stderr } = await migrate('--write', '--check');
    expect(code).toBe(2);
    expect(stderr).toContain(`Something is left to migrate in ${folder}; see above.`);
    expect(stdout).toContain('4 files to change by hand:\n');
    expect(stdout).toContain('  broken.yaml: it cannot be read as YAML: ');
    expect(stdout).toContain('  chart/templates/pool.yaml: a Helm template: change what the chart renders, or its values\n');
    expect(stdout).toContain(
      '  kustomization.yaml: Kustomize: a patch addresses fields at their old paths; migrate the base first, then update the paths in the patch\n',
    );
    expect(stdout).toContain('  main.tf: Terraform: change the manifest inside it by hand, then run belay migrate on the rendered one\n');
    expect(read('chart/templates/pool.yaml')).toBe(template);
    expect(read('main.tf')).toBe(terraform);
  });

  test('a patch that Kustomize merges looks like a manifest, and is left alone; what speaks of the old API elsewhere is told', async () => {
    const patch = 'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: default}\nspec: {disruption: {expireAfter: 24h}}\n';
    file('overlays/prod/kustomization.yaml', 'resources: [../../base]\npatches:\n  - path: ../patches/expiry.yaml\n');
    file('overlays/patches/expiry.yaml', patch);
    const release =
      'kind: HelmRelease\nspec:\n  values:\n    # karpenter.sh/v1 one day\n    pools:\n      - apiVersion: karpenter.sh/v1beta1\n';
    file('release.yaml', release);
    file('list.yaml', `kind: List\nitems:\n  - ${patch.trimEnd().replaceAll('\n', '\n    ')}\n`);
    file('notes.yaml', 'kind: ConfigMap\n# was karpenter.sh/v1beta1 once\n');
    const { code, stdout } = await migrate('--write', '--check');
    expect(code).toBe(2);
    expect(stdout).toBe(`3 files to change by hand:
  overlays/patches/expiry.yaml: Kustomize: a patch addresses fields at their old paths; migrate the base first, then update the paths in the patch
  list.yaml: it mentions karpenter.sh/v1beta1 where Belay cannot tell what it means: in a chart value, a list or a text
  release.yaml: it mentions karpenter.sh/v1beta1 where Belay cannot tell what it means: in a chart value, a list or a text

0 files written.
`);
    expect([read('overlays/patches/expiry.yaml'), read('release.yaml')]).toEqual([patch, release]);
  });

  test('JSON stays JSON', async () => {
    const before = {
      apiVersion: 'karpenter.k8s.aws/v1beta1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: { amiFamily: 'AL2', role: 'nodes' },
    };
    file('class.json', `${JSON.stringify(before, null, 2)}\n`);
    await migrate('--write');
    expect(JSON.parse(read('class.json'))).toEqual({
      ...before,
      apiVersion: 'karpenter.k8s.aws/v1',
      spec: { role: 'nodes', amiSelectorTerms: [{ alias: 'al2@latest' }], metadataOptions: { httpPutResponseHopLimit: 2 } },
    });
  });

  test('workloads: annotations and the taint of nodes that go', async () => {
    file(
      'cron.yaml',
      `apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  jobTemplate:
    spec:
      template:
        metadata:
          annotations:
            karpenter.sh/do-not-evict: "true" # it takes an hour
        spec:
          tolerations:
            - key: karpenter.sh/disruption
              operator: Equal
              value: disrupting
`,
    );
    await migrate('--write');
    expect(read('cron.yaml')).toContain('            karpenter.sh/do-not-disrupt: "true"\n');
    expect(read('cron.yaml')).toContain('            - key: karpenter.sh/disrupted\n              operator: Exists\n');
    expect(read('cron.yaml')).not.toMatch(/do-not-evict|disrupting/);
  });

  test('a folder that is not there', async () => {
    expect(await runBelay(['migrate', 'karpenter', '--dir', join(folder, 'nowhere')])).toMatchObject({
      code: 1,
      stderr: `--dir ${join(folder, 'nowhere')}: no such folder; name the checkout with Karpenter's manifests.\n`,
    });
  });
});

test('v1alpha5 → v1beta1: a Provisioner keeps its comments, and selectors of workloads follow the label', async () => {
  file(
    'provisioner.yaml',
    `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: default
spec:
  # what it may buy
  requirements:
    - key: karpenter.sh/capacity-type # never spot
      operator: In
      values: [on-demand]
  ttlSecondsAfterEmpty: 30
  providerRef:
    name: default
`,
  );
  file(
    'web.yaml',
    'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  nodeSelector:\n    karpenter.sh/provisioner-name: default\n',
  );
  await migrate('--to', 'v1beta1', '--write');
  expect(read('provisioner.yaml')).toContain('        - key: karpenter.sh/capacity-type # never spot\n');
  expect(read('provisioner.yaml')).toContain(
    '  disruption:\n    consolidationPolicy: WhenEmpty\n    consolidateAfter: 30s\n    expireAfter: Never\n',
  );
  expect(read('web.yaml')).toBe(
    'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  nodeSelector:\n    karpenter.sh/nodepool: default\n',
  );
});
