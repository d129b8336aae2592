/** The mesh as a plan sees it: which revisions are in use, by which namespaces, and how canaries change that. */
import type { ComponentVersion } from '../../core/component-version.ts';
import {
  compareComponentVersions,
  compareMinors,
  formatMinor,
  parseComponentVersion,
  tryComponentVersion,
} from '../../core/component-version.ts';
import type { GatewayFact, IstioFact, NodeAgentFact, UninjectedFact } from '../../facts/facts.ts';
import { gatewaysAfter, type MeshRevision } from './gateways.ts';
import type { IstioCanary, NodeAgentChange } from '../model/changes.ts';

export interface Mesh {
  /** Revisions that proxies use, oldest first. */
  inUse: MeshRevision[];
  /** Installed revisions that no namespace uses. */
  idle: MeshRevision[];
  /** Revision tags and the revisions behind them. */
  tags?: IstioFact['tags'];
  /** istio-cni and ztunnel, with the versions that the plan brings them to. */
  nodeAgents?: NodeAgentFact[];
  gateways?: GatewayFact[];
  uninjected?: UninjectedFact[];
}

/** Reads the mesh from facts. With no namespaces at all, the newest revision counts as in use (gateways, tests). */
export function meshOf(istio: IstioFact): Mesh {
  const revisions = istio.revisions
    .flatMap((fact): MeshRevision[] => {
      const version = tryComponentVersion(fact.version);
      if (version === undefined) return [];
      const namespaces = istio.namespaces.filter((ns) => ns.revision === fact.revision);
      return [{ revision: fact.revision, version, text: fact.version, namespaces }];
    })
    .toSorted((a, b) => compareComponentVersions(a.version, b.version));
  const serves = (r: MeshRevision): boolean => istio.gateways?.some((gateway) => gateway.revision === r.revision) === true;
  const used = revisions.filter((r) => r.namespaces.length > 0 || serves(r));
  const inUse = used.length > 0 ? used : revisions.slice(-1);
  return {
    inUse,
    idle: revisions.filter((r) => !inUse.includes(r)),
    tags: istio.tags,
    nodeAgents: istio.nodeAgents,
    gateways: istio.gateways,
    uninjected: istio.uninjected,
  };
}

/** The name of a new revision: "1-28" (dots are not allowed in a label that ends up in a host name). */
export function revisionName(version: ComponentVersion): string {
  return formatMinor(version).replace('.', '-');
}

/** The mesh after a canary: its namespaces and tags have joined the new revision, the old one is retired. */
export function afterCanary(
  mesh: Mesh,
  canary: Pick<IstioCanary, 'fromRevision' | 'toRevision' | 'toMinor' | 'toVersion' | 'tags' | 'agentsBefore' | 'agentsAfter'>,
): Mesh {
  const moved = mesh.inUse.find((r) => r.revision === canary.fromRevision);
  const text = canary.toVersion ?? canary.toMinor;
  const present = [...mesh.inUse, ...mesh.idle].find((r) => r.revision === canary.toRevision);
  const target = {
    revision: canary.toRevision,
    version: present?.version ?? parseComponentVersion(text),
    text: present?.text ?? text,
    namespaces: [...(present?.namespaces ?? []), ...(moved?.namespaces ?? [])],
  };
  const others = mesh.inUse.filter((r) => r !== moved && r !== present);
  return {
    inUse: [...others, target].toSorted((a, b) => compareComponentVersions(a.version, b.version)),
    idle: mesh.idle.filter((r) => r !== present),
    gateways: gatewaysAfter(mesh.gateways, canary),
    uninjected: mesh.uninjected,
    nodeAgents: agentsAfter(mesh.nodeAgents, [...(canary.agentsBefore ?? []), ...(canary.agentsAfter ?? [])]),
    tags: mesh.tags?.map((entry) => (canary.tags?.includes(entry.tag) === true ? { ...entry, revision: canary.toRevision } : entry)),
  };
}

function agentsAfter(agents: NodeAgentFact[] | undefined, changes: readonly NodeAgentChange[]): NodeAgentFact[] | undefined {
  return agents?.map((agent) => {
    const to = changes.findLast((change) => change.namespace === agent.namespace && change.daemonSet === agent.daemonSet);
    return to === undefined ? agent : { ...agent, version: to.toMinor };
  });
}

/** An installed revision of this minor, one in use first. */
export function revisionOfMinor(mesh: Mesh, version: ComponentVersion): MeshRevision | undefined {
  return [...mesh.inUse, ...mesh.idle].find((r) => compareMinors(r.version, version) === 0);
}
