/** What people and GitOps merge for the mesh: revisions, tags, labels, gateways, node agents, and the end of a revision. */
import type { World } from '../world/world.ts';
import type { Git } from './gitops/git.ts';
import { mergeDefaultRevision, mergeLabels, mergeRemoval, mergeRevision } from './gitops/mesh-merges.ts';
import { GATEWAYS } from './istio/gateways.ts';
import { installRevision, ISTIO_NAMESPACE, patchOfIstio, removeRevision, setDefaultValidator, setTag } from './istio/revisions.ts';
import type { OwnerAsk } from './owner-ask.ts';

const revisionOf = (text: string): string => /\d+-\d+(?:-\d+)?/.exec(text)?.[0] ?? text;

export function mergeBase(world: World, { name, version, managedBy }: OwnerAsk, git: Git): void {
  if (!git.merge(world, name, patchOfIstio(version))) return world.journal.tell(`the pull request for ${name} finds nothing`);
  world.journal.tell(`${managedBy} brings ${name} to ${patchOfIstio(version)}`);
}

export function relabel(world: World, { name, version, managedBy }: OwnerAsk, git: Git): void {
  for (const namespace of name.split(', ')) mergeLabels(world, git, namespace, version);
  world.journal.tell(`${managedBy} labels Namespace ${name} istio.io/rev=${version}`);
}

export function mergeIstio(world: World, ask: OwnerAsk, git: Git): void {
  const revision = revisionOf(ask.name);
  const asked = /\d+\.\d+(?:\.\d+)?/.exec(ask.version)?.[0] ?? revision.split('-').slice(0, 2).join('.');
  const version = patchOfIstio(asked);
  if (!mergeRevision(world, git, revision, version)) installRevision(world, { revision, version });
  world.journal.tell(`${ask.managedBy} installs Istio revision ${revision} (${version}) beside what runs`);
}

/** DaemonSets by what people call them. */
const AGENTS: Record<string, string> = { 'istio-cni': 'istio-cni-node', ztunnel: 'ztunnel' };

export function rollAgent(world: World, ask: OwnerAsk, git: Git): void {
  const version = patchOfIstio(ask.version);
  if (git.merge(world, ask.name, version)) return;
  world.store.update('daemonsets', AGENTS[ask.name] ?? ask.name, ISTIO_NAMESPACE, (copy) => {
    for (const container of copy.spec.template.spec.containers) container.image = container.image.replace(/:[^:]*$/, `:${version}`);
  });
  world.journal.tell(`${ask.managedBy} rolls ${ask.name} to ${version}`);
}

export function mergeTag(world: World, ask: OwnerAsk): void {
  setTag(world, ask.name, revisionOf(ask.version));
  world.journal.tell(`${ask.managedBy} points revision tag ${ask.name} at ${revisionOf(ask.version)}`);
}

/** A Gateway of the Gateway API, else the pod template of a workload, as the chart's value `revision` renders it. */
export function mergeGateway(world: World, { name: place, version, managedBy }: OwnerAsk): void {
  const [namespace = '', name = ''] = place.split('/');
  const revision = revisionOf(version);
  const plural = [GATEWAYS, 'deployments', 'daemonsets'].find((each) => world.store.get(each, name, namespace) !== undefined);
  if (plural === undefined) return world.journal.tell(`the pull request for gateway ${place} finds none`);
  world.store.update(plural, name, namespace, (copy) => {
    const { metadata } = plural === GATEWAYS ? copy : copy.spec.template;
    metadata.labels = { ...metadata.labels, 'istio.io/rev': revision };
  });
  world.journal.tell(`${managedBy} moves gateway ${place} to Istio revision ${revision}`);
}

export function mergeDefaults(world: World, ask: OwnerAsk): void {
  if (!mergeDefaultRevision(world, revisionOf(ask.version))) moveDefaults(world, revisionOf(ask.version));
  world.journal.tell(`${ask.managedBy} points the default tag and validator at ${revisionOf(ask.version)}`);
}

/** Those that are there. */
function moveDefaults(world: World, successor: string): void {
  if (world.store.get('mutatingwebhookconfigurations', 'istio-revision-tag-default') !== undefined) setTag(world, 'default', successor);
  if (world.store.get('validatingwebhookconfigurations', 'istiod-default-validator') !== undefined) setDefaultValidator(world, successor);
}

/** Default tag and validator first, so that no webhook points at an istiod that is gone. */
export function retireIstio(world: World, ask: OwnerAsk, git: Git): void {
  const revision = revisionOf(ask.name);
  const named = revisionOf(ask.version);
  const successor =
    named !== revision && world.store.list('deployments', { labels: { 'istio.io/rev': named } }).length > 0 ? named : undefined;
  if (successor !== undefined) {
    for (const tag of world.store.list('mutatingwebhookconfigurations', { labels: { 'istio.io/rev': revision } })) {
      const name = tag.metadata.labels?.['istio.io/tag'];
      if (name !== undefined) setTag(world, name, successor);
    }
    moveDefaults(world, successor);
  }
  if (!mergeRemoval(world, git, revision)) removeRevision(world, revision);
  world.journal.tell(`${ask.managedBy} removes Istio revision ${revision}`);
}
