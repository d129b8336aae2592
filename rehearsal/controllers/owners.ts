/** People, GitOps and Atlantis in the twin: they carry out what a message asks for, in world time. */
import { randomUUID } from 'node:crypto';
import { latestAmi } from '../aws/eks/nodes/amis.ts';
import type { Controller, World } from '../world/world.ts';
import { AtlantisRuns } from './atlantis.ts';
import type { Git } from './gitops/git.ts';
import { startRefresh } from './instance-refresh.ts';
import { addSuccessors, deleteNextNode, removeOld } from './karpenter/migration/alpha-manifests.ts';
import { rewriteManifests } from './karpenter/migration/manifests.ts';
import { converts } from './karpenter/definitions.ts';
import { type ChartValues, karpenterDeployment, rollDefinitions, rollKarpenter } from './karpenter/release.ts';
import { mergeBase, mergeDefaults, mergeGateway, mergeIstio, mergeTag, relabel, retireIstio, rollAgent } from './mesh-owners.ts';
import type { OwnerAsk } from './owner-ask.ts';

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

export function createOwners(world: () => World, options: { atlantisDies: boolean; git: Git }): Owners {
  const tasks: Task[] = [];
  const open = new Set<string>();
  const atlantis = new AtlantisRuns(options);
  const hand: Hand = { deletesNodes: false };

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
        if (hand.deletesNodes) hand.deletesNodes = deleteNextNode(current);
        for (const task of tasks.filter((t) => t.dueMs <= current.clock.nowMs())) {
          tasks.splice(tasks.indexOf(task), 1);
          // Once carried out, the same change may be asked for again: a Retry after a Failed update is one.
          open.delete(keyOf(task.ask));
          carryOut(current, task.ask, atlantis, { git: options.git, hand });
        }
      },
    },
  };
}

/** What people do over a longer time. */
interface Hand {
  deletesNodes: boolean;
}

function carryOut(world: World, ask: OwnerAsk, atlantis: AtlantisRuns, { git, hand }: { git: Git; hand: Hand }): void {
  switch (ask.component) {
    case 'karpenter':
      return setKarpenter(world, ask, git);
    case 'karpenter-manifests':
      return mergeManifests(world, ask, hand);
    case 'node-class':
      return selectAmis(world, ask);
    case 'node-pool':
      return pointPool(world, ask);
    case 'istio':
      return mergeIstio(world, ask, git);
    case 'istio-base':
      return mergeBase(world, ask, git);
    case 'namespace':
      return relabel(world, ask, git);
    case 'istio-agent':
      return rollAgent(world, ask, git);
    case 'istio-tag':
      return mergeTag(world, ask);
    case 'istio-defaults':
      return mergeDefaults(world, ask);
    case 'istio-gateway':
      return mergeGateway(world, ask);
    case 'istio-retire':
      return retireIstio(world, ask, git);
    case 'control-plane':
    case 'node-group':
    case 'add-on':
      return atlantis.apply(world, ask, randomUUID());
    case 'self-managed':
      return refreshGroup(world, ask);
    case 'cluster-autoscaler':
    case 'istiod-replicas':
      return scaleDeployment(world, ask);
    default:
      world.journal.tell(`nobody knows what to do about ${ask.component} ${ask.name}`);
  }
}

function scaleDeployment(world: World, { name, version, managedBy }: OwnerAsk): void {
  const [namespace = '', deployment = ''] = name.split('/');
  if (world.store.get('deployments', deployment, namespace) === undefined)
    return world.journal.tell(`the pull request for ${name} finds no Deployment`);
  world.store.update('deployments', deployment, namespace, (copy) => void (copy.spec.replicas = Number.parseInt(version, 10)));
  world.journal.tell(`${managedBy} scales ${name} to ${version}`);
}

/** As the message says: a version of the launch template with the newest image, and an instance refresh to it. */
function refreshGroup(world: World, { name, version }: OwnerAsk): void {
  const group = world.eks.network.autoScalingGroups.find((each) => each.name === name);
  const template = world.eks.network.launchTemplates.find(({ id }) => id === group?.launchTemplate.id);
  const image = latestAmi('al2023', version, world.clock.now(), 'x86_64', world.eks.images);
  if (group === undefined || template === undefined || image === undefined)
    return world.journal.tell(`nobody knows how to refresh the instances of ${name}`);
  const number = Math.max(...template.versions.map((each) => each.number)) + 1;
  template.versions.push({ number, imageId: image.id });
  startRefresh(world, group, { id: template.id, version: String(number) });
}

function setKarpenter(world: World, ask: OwnerAsk, git: Git): void {
  const values = valuesFor(world, ask);
  if (git.merge(world, ask.name, ask.version, { ...values })) return;
  if (ask.name === 'karpenter-crd') return setDefinitions(world, ask, values);
  // Rendered and applied: nothing takes away what a chart has no more.
  if (!rollKarpenter(world, ask.version, values, false)) return world.journal.tell('the pull request for Karpenter finds no Deployment');
  world.journal.tell(`${ask.managedBy} rolls Karpenter to ${ask.version}`);
}

function mergeManifests(world: World, { name, version, managedBy }: OwnerAsk, hand: Hand): void {
  if (name === 'karpenter-old') return removeOld(world, managedBy);
  if (name === 'karpenter-nodes') {
    hand.deletesNodes = true;
    return world.journal.tell('somebody deletes the nodes of Machines, one by one');
  }
  if (version === 'v1beta1') addSuccessors(world, managedBy);
  else rewriteManifests(world, managedBy);
}

/** As the message asks: webhooks on wherever the charts have them, with a Service of the chart's usual name. */
function valuesFor(world: World, { name, version }: OwnerAsk): ChartValues {
  // Asked for a second time, the bridge is to replace nodes by drift.
  if (isBridge(world, version)) return { settings: { featureGates: { drift: true } } };
  if (!converts(version)) return {};
  return { webhook: { enabled: true, port: 8443, ...(name === 'karpenter-crd' ? { serviceName: 'karpenter' } : {}) } };
}

function isBridge(world: World, version: string): boolean {
  const runs = karpenterDeployment(world)?.metadata.labels?.['app.kubernetes.io/version'];
  return version.startsWith('v0.32.') && runs === version.slice(1);
}

function setDefinitions(world: World, { version, managedBy }: OwnerAsk, values: ChartValues): void {
  const refused = rollDefinitions(world, version, values);
  world.journal.tell(
    refused === undefined
      ? `${managedBy} applies karpenter-crd ${version}`
      : `${managedBy} fails with karpenter-crd ${version}: ${refused}`,
  );
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
