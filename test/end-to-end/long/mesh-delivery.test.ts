/** A mesh by Flux and by Argo CD: revisions come and go through objects that Belay makes and deletes, or asks for, though the worker is killed. */
import { afterEach, expect, test } from 'vitest';
import { istioArgo, istioFlux, istioFluxGit } from '../../../rehearsal/scenarios/istio/istio-gitops.ts';
import { istioArgoAgents, istioFluxAgents } from '../../../rehearsal/scenarios/istio/istio-gitops-agents.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import type { Play } from '../support/play.ts';
import { expectRestored } from '../support/promises.ts';
import { Theatre } from '../support/theatre.ts';

const LIMIT_MS = 1_800_000;
/** Of one play: each kill costs a start of the worker. */
const PLAY_MS = 280_000;

let theatre: Theatre;
let play: Play;
/** The thread as it was at each gate: evidence is shown until a gate is decided. */
let atGates = '';

afterEach(() => theatre.close(), 60_000);

/** Changes that were accepted, in their order. */
const changes = (pattern: RegExp): string[] =>
  play.world.journal.mutations
    .filter(({ accepted }) => accepted)
    .map(({ operation, resource }) => `${operation} ${resource.split('/').at(-1)}`)
    .filter((line) => pattern.test(line));

/** SIGKILL at the first change of each kind: it is accepted, and not answered. Returns how often it was done. */
function killAt(...moments: readonly RegExp[]): () => number {
  const open = [...moments];
  play.world.journal.onMutation(async ({ operation, resource, accepted }) => {
    if (!accepted || open[0]?.test(`${operation} ${resource}`) !== true) return;
    open.shift();
    await Promise.resolve(theatre.kill('worker'));
  });
  return () => moments.length - open.length;
}

/** The first canary to its end; then people stop, unless it goes on. */
async function begin(scenario: Scenario, goesOn = false): Promise<void> {
  theatre = await Theatre.open({ mesh: { scenario } });
  const choices: Record<string, string> = goesOn ? {} : { 'change:istio@1.34/1-30#1': 'reject', 'failed:istio@1.34#1': 'abort' };
  atGates = '';
  play = await theatre.play('mesh', {
    decide: (gate) => {
      atGates += play.thread().join('\n');
      return choices[gate];
    },
  });
}

/** What runs, whose objects are there, and what is validated by whom. */
function meshNow(plural: 'helmreleases' | 'applications'): unknown {
  const { store } = play.world;
  const revisions = ['docs', 'shop', 'pay'].flatMap((namespace) =>
    store.list('pods', { namespace }).map((pod) => pod.metadata.annotations?.['istio.io/rev']),
  );
  return {
    istiods: store.list('deployments', { labels: { app: 'istiod' } }).map(({ metadata }) => metadata.name),
    revisions: [...new Set(revisions)],
    objects: store
      .list(plural)
      .map(({ metadata }) => metadata.name)
      .toSorted(),
    validator: store.get('validatingwebhookconfigurations', 'istiod-default-validator')?.['webhooks'][0].clientConfig.service.name,
  };
}

const AFTER = { istiods: ['istiod-1-28'], revisions: ['1-28'], objects: ['istio-base', 'istiod-1-28'], validator: 'istiod-1-28' };

test(
  'T1: Flux, nobody keeps its objects: the worker is killed in the base, the new revision and the retirement; nothing is done twice',
  async () => {
    await begin(istioFlux);
    const killed = killAt(/^patch helmreleases .*istio-base$/, /^create helmreleases/, /^delete helmreleases/);
    await play.start();
    expect(await play.closed(PLAY_MS)).toBe('COMPLETED');
    expect(killed()).toBe(3);
    expect(meshNow('helmreleases')).toEqual(AFTER);
    expect(changes(/^(?:create|delete) (?:helmreleases|ocirepositories)/)).toEqual([
      'create ocirepositories istiod-1-28',
      'create helmreleases istiod-1-28',
      'delete helmreleases istiod-1-26',
      'delete ocirepositories istiod-1-26',
    ]);
    // Version, pin, defaultRevision.
    expect(changes(/^patch helmreleases istio-base/)).toHaveLength(3);
    expect(play.world.store.get('helmreleases', 'istiod-1-28', 'flux-system')?.spec.values).toEqual({
      revision: '1-28',
      pilot: { autoscaleMin: 2 },
      meshConfig: { accessLogFile: '/dev/stdout' },
    });
    expect(changes(/^patch deployments web/)).toHaveLength(3);
    await play.says(/removing HelmRelease flux-system\/istiod-1-26, which delivers revision 1-26/);
    await expectRestored(play);
  },
  LIMIT_MS,
);

test(
  'T1: Argo CD, base and one namespace kept in Git: these merges are asked for, the rest is made and removed though the worker is killed',
  async () => {
    await begin(istioArgo);
    const killed = killAt(/^create applications/, /^delete applications/);
    await play.start();
    expect(await play.closed(PLAY_MS)).toBe('COMPLETED');
    expect(killed()).toBe(2);
    expect(meshNow('applications')).toEqual(AFTER);
    expect(changes(/^(?:create|delete) applications/)).toEqual(['create applications istiod-1-28', 'delete applications istiod-1-26']);
    // What Git keeps is never patched.
    expect(changes(/^patch (?:applications istio-base|namespaces pay)/)).toEqual([]);
    expect(play.world.store.get('namespaces', 'pay')?.metadata.labels).toMatchObject({ 'istio.io/rev': '1-28' });
    await play.says(/Please merge istio-base \(chart base\) 1\.26\.2 → the newest 1\.28 in Application argocd\/istio-base/);
    await play.says(/Please label pay `istio\.io\/rev: 1-28` where this namespace is declared/);
    await expectRestored(play);
  },
  LIMIT_MS,
);

test(
  'T1: Flux, all of it kept in Git: every merge is asked for, through two canaries, and Belay writes no object of Flux',
  async () => {
    await begin(istioFluxGit, true);
    const killed = killAt(/^patch namespaces/);
    await play.start();
    expect(await play.closed(PLAY_MS)).toBe('COMPLETED');
    expect(killed()).toBe(1);
    expect(changes(/helmreleases|ocirepositories|webhookconfigurations/)).toEqual([]);
    // What people merged goes as it came: a release of the second canary too.
    expect(meshNow('helmreleases')).toEqual({
      istiods: ['istiod-1-30'],
      revisions: ['1-30'],
      objects: ['istio-base', 'istiod-1-30'],
      validator: 'istiod-1-30',
    });
    await play.says(/Please add HelmRelease flux-system\/istiod-1-28 to Git, beside HelmRelease flux-system\/istiod-1-26/);
    await play.says(/set `defaultRevision: 1-28` in the values of istio-base/);
    await play.says(/Please remove HelmRelease flux-system\/istiod-1-28 in Git: Kustomization flux-system\/platform manages it from there/);
    await expectRestored(play);
  },
  LIMIT_MS,
);

/** Both node agents, through two minors. */
const agentVersions = (): string[] =>
  ['istio-cni-node', 'ztunnel'].map((name) =>
    String(play.world.store.get('daemonsets', name, 'istio-system')?.spec.template.spec.containers[0].image.split(':').at(-1)),
  );

test(
  'T1: istio-cni and ztunnel by Argo CD, which syncs only when asked: each minor by a sync of its own, though the worker is killed at it',
  async () => {
    await begin(istioArgoAgents, true);
    const killed = killAt(/^patch applications .*istio-cni$/, /^patch applications .*ztunnel$/);
    await play.start();
    expect(await play.closed(PLAY_MS)).toBe('COMPLETED');
    expect(killed()).toBe(2);
    expect(agentVersions()).toEqual(['1.30.2', '1.30.2']);
    expect(play.world.store.get('applications', 'istio-cni', 'argocd')?.spec.source.helm.valuesObject).toEqual({
      excludeNamespaces: ['kube-system'],
      // The registry of 1.30's own charts is about to be closed.
      global: { hub: 'docker.io/istio' },
    });
    // Nobody gave it deploy/kubernetes-rbac-mesh-debug.yaml.
    expect(atGates).toMatch(/Which proxies are in sync was not read \(syncz\): Belay may not forward ports to istiod/);
    await expectRestored(play);
  },
  LIMIT_MS,
);

test(
  'T1: istio-cni and ztunnel by Flux: the one that Git keeps is asked for at each minor, and never patched',
  async () => {
    await begin(istioFluxAgents, true);
    await play.start();
    expect(await play.closed(PLAY_MS)).toBe('COMPLETED');
    expect(agentVersions()).toEqual(['1.30.2', '1.30.2']);
    expect(changes(/^patch helmreleases ztunnel/)).toEqual([]);
    expect(atGates).toMatch(/2 proxies are connected to istiod of 1-29 and in sync \(syncz\)/);
    expect(atGates).not.toMatch(/was not read \(syncz\)/);
    await play.says(/Please merge ztunnel \(chart ztunnel\) 1\.28\.3 → the newest 1\.29 in HelmRelease flux-system\/ztunnel/);
    await expectRestored(play);
  },
  LIMIT_MS,
);
