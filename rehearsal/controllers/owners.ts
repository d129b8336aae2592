/** People, GitOps and Atlantis in the twin: they carry out what a message asks for, in world time. */
import { randomUUID } from 'node:crypto';
import type { Controller, World } from '../world/world.ts';
import { AtlantisRuns } from './atlantis.ts';
import { installRevision, patchOfIstio, removeRevision, setDefaultValidator, setTag } from './istio/revisions.ts';

/** What a message asks for, as its metadata says. */
export interface OwnerAsk {
  component: string;
  name: string;
  version: string;
  managedBy: string;
}

export interface Owners {
  /** Takes an ask. The same ask again changes nothing while it is open or has just been carried out. */
  handle(ask: OwnerAsk): void;
  /** Where Atlantis sends its AWS requests. */
  connect(awsUrl: string): void;
  controller: Controller;
}

/** Review and merge, then the sync. */
const MERGE_MS = 60_000;

interface Task {
  ask: OwnerAsk;
  dueMs: number;
}

export function createOwners(world: () => World, options: { atlantisDies: boolean }): Owners {
  const tasks: Task[] = [];
  const open = new Set<string>();
  const atlantis = new AtlantisRuns(options);

  const keyOf = ({ component, name, version }: OwnerAsk): string => `${component}/${name}/${version}`;

  return {
    handle(ask) {
      const key = keyOf(ask);
      if (open.has(key)) return;
      open.add(key);
      const { clock, journal } = world();
      tasks.push({ ask, dueMs: clock.nowMs() + MERGE_MS });
      journal.tell(`somebody opens a pull request (${ask.managedBy}): ${ask.component} ${ask.name} to ${ask.version}`);
    },
    connect(awsUrl) {
      atlantis.awsUrl = awsUrl;
    },
    controller: {
      name: 'owners',
      everyMs: 10_000,
      tick(current) {
        atlantis.tick(current);
        for (const task of tasks.filter((t) => t.dueMs <= current.clock.nowMs())) {
          tasks.splice(tasks.indexOf(task), 1);
          // Once carried out, the same change may be asked for again: a Retry after a Failed update is one.
          open.delete(keyOf(task.ask));
          carryOut(current, task.ask, atlantis);
        }
      },
    },
  };
}

function carryOut(world: World, ask: OwnerAsk, atlantis: AtlantisRuns): void {
  switch (ask.component) {
    case 'karpenter':
      return setKarpenter(world, ask);
    case 'node-class':
      return selectAmis(world, ask);
    case 'node-pool':
      return pointPool(world, ask);
    case 'istio':
      return mergeIstio(world, ask);
    case 'istio-retire':
      return retireIstio(world, ask);
    case 'control-plane':
    case 'node-group':
    case 'add-on':
      return atlantis.apply(world, ask, randomUUID());
    default:
      world.journal.tell(`nobody knows what to do about ${ask.component} ${ask.name}`);
  }
}

/** "1.2" becomes a real patch: charts have full versions. */
const fullVersion = (version: string): string => {
  const plain = version.replace(/^v/, '');
  return plain.split('.').length > 2 ? plain : `${plain}.0`;
};

function setKarpenter(world: World, ask: OwnerAsk): void {
  const version = fullVersion(ask.version);
  const deployment = world.store.list('deployments', { labels: { 'app.kubernetes.io/name': 'karpenter' } })[0];
  if (deployment === undefined) return world.journal.tell('the pull request for Karpenter finds no Deployment');
  world.store.update('deployments', deployment.metadata.name, deployment.metadata.namespace, (copy) => {
    copy.metadata.labels = { ...copy.metadata.labels, 'app.kubernetes.io/version': version, 'helm.sh/chart': `karpenter-${version}` };
    for (const container of copy.spec.template.spec.containers) {
      if (container.name === 'controller') container.image = `public.ecr.aws/karpenter/controller:${version}`;
    }
  });
  world.journal.tell(`${ask.managedBy} rolls Karpenter to ${version}`);
}

/** "al2023@v20251016", or ids with commas between them. */
function selectAmis(world: World, { name, version, managedBy }: OwnerAsk): void {
  if (world.store.get('ec2nodeclasses', name) === undefined)
    return world.journal.tell(`the pull request for EC2NodeClass ${name} finds none`);
  world.store.update('ec2nodeclasses', name, undefined, (copy) => {
    copy.spec.amiSelectorTerms = version.split(', ').map((term) => (term.includes('@') ? { alias: term } : { id: term }));
  });
  world.journal.tell(`${managedBy} has EC2NodeClass ${name} choose ${version}`);
}

function pointPool(world: World, { name, version, managedBy }: OwnerAsk): void {
  if (world.store.get('nodepools', name) === undefined) return world.journal.tell(`the pull request for NodePool ${name} finds none`);
  world.store.update('nodepools', name, undefined, (copy) => void (copy.spec.template.spec.nodeClassRef.name = version));
  world.journal.tell(`${managedBy} points NodePool ${name} at ${version}`);
}

const revisionOf = (text: string): string => /\d+-\d+(?:-\d+)?/.exec(text)?.[0] ?? text;

function mergeIstio(world: World, ask: OwnerAsk): void {
  const revision = revisionOf(ask.name);
  const asked = /\d+\.\d+(?:\.\d+)?/.exec(ask.version)?.[0] ?? revision.split('-').slice(0, 2).join('.');
  const version = patchOfIstio(asked);
  installRevision(world, { revision, version });
  world.journal.tell(`${ask.managedBy} installs Istio revision ${revision} (${version}) beside what runs`);
}

/** Default tag and validator first, so that no webhook points at an istiod that is gone. */
function retireIstio(world: World, ask: OwnerAsk): void {
  const revision = revisionOf(ask.name);
  const named = revisionOf(ask.version);
  const successor =
    named !== revision && world.store.list('deployments', { labels: { 'istio.io/rev': named } }).length > 0 ? named : undefined;
  if (successor !== undefined) {
    for (const tag of world.store.list('mutatingwebhookconfigurations', { labels: { 'istio.io/rev': revision } })) {
      const name = tag.metadata.labels?.['istio.io/tag'];
      if (name !== undefined) setTag(world, name, successor);
    }
    if (world.store.get('validatingwebhookconfigurations', 'istiod-default-validator') !== undefined) setDefaultValidator(world, successor);
  }
  removeRevision(world, revision);
  world.journal.tell(`${ask.managedBy} removes Istio revision ${revision}`);
}
