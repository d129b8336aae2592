/**
 * `npm run compile`, also before `npm pack`: dist/, in which the package runs without stripping types, with the files that code reads beside it,
 * and the command line as a bundle.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shipBundles } from '../worker/temporal/workflow-bundle.ts';
import { bundleAll } from './bundle/main.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Read at run time, by their place beside the code. */
const ASSETS = [
  'package.json',
  'slack/manifest.yaml',
  'deploy/iam-policy-optional.json',
  'deploy/iam-policy-self-managed.json',
  'deploy/iam-policy.json',
  'deploy/kubernetes-rbac.yaml',
  'deploy/kubernetes-rbac-canary-node.yaml',
  'deploy/kubernetes-rbac-delete-pods.yaml',
  'deploy/kubernetes-rbac-gitops.yaml',
  'deploy/kubernetes-rbac-helm-releases.yaml',
  'deploy/kubernetes-rbac-istio.yaml',
  'deploy/kubernetes-rbac-istio-gitops.yaml',
  'deploy/kubernetes-rbac-istio-helm.yaml',
  'deploy/kubernetes-rbac-karpenter-helm.yaml',
  'deploy/kubernetes-rbac-karpenter-migration.yaml',
  'deploy/kubernetes-rbac-mesh-debug.yaml',
  'deploy/kubernetes-rbac-mesh-scrapes.yaml',
  'deploy/kubernetes-rbac-node-classes.yaml',
  'deploy/kubernetes-rbac-scrapes.yaml',
  'deploy/kubernetes-rbac-self-managed.yaml',
  'deploy/two-roles',
  'rehearsal/neighbours/helm/charts',
  'rehearsal/neighbours/slack/page',
];

rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(`${root}node_modules/.bin/tsc`, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) throw new Error('dist/ could not be compiled.');
for (const asset of ASSETS) cpSync(`${root}${asset}`, `${root}dist/${asset}`, { recursive: true });
await bundleAll({ root, code: `${root}dist/`, out: `${root}dist/` });
await shipBundles(new URL('../dist/worker/temporal/workflow-bundle.js', import.meta.url).href);
