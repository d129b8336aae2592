/** Atlantis applying Terraform: it sends the AWS requests itself, with tokens of its own, and may die while it waits. */
import { createHash } from 'node:crypto';
import { messageOf } from '../../domain/core/unknown.ts';
import { accessKeyOf } from '../aws/eks/identities.ts';
import type { EksUpdate } from '../aws/eks/state.ts';
import { runningUpdate } from '../aws/eks/mutate.ts';
import type { World } from '../world/world.ts';
import type { OwnerAsk } from './owner-ask.ts';

/** Atlantis is gone this long after its apply began, and comes back later. */
const DIES_AFTER_MS = 120_000;
const BACK_AFTER_MS = 300_000;
const RETRY_MS = 30_000;
const MAX_ATTEMPTS = 5;

export class AtlantisRuns {
  awsUrl: string | undefined;
  #diesStill: boolean;
  #downUntilMs = Number.NEGATIVE_INFINITY;
  #deathAtMs: number | undefined;
  readonly #waiting: { ask: OwnerAsk; token: string; attempts: number; dueMs: number }[] = [];

  constructor(options: { atlantisDies: boolean }) {
    this.#diesStill = options.atlantisDies;
  }

  apply(world: World, ask: OwnerAsk, token: string): void {
    this.#waiting.push({ ask, token, attempts: 0, dueMs: world.clock.nowMs() });
  }

  tick(world: World): void {
    const nowMs = world.clock.nowMs();
    if (this.#deathAtMs !== undefined && nowMs >= this.#deathAtMs) this.#die(world);
    if (nowMs < this.#downUntilMs) return;
    for (const run of this.#waiting.filter((r) => r.dueMs <= nowMs)) {
      this.#waiting.splice(this.#waiting.indexOf(run), 1);
      void this.#send(world, run);
    }
  }

  /** The pod is evicted in the middle of the apply: the run's log is lost, EKS goes on. */
  #die(world: World): void {
    this.#deathAtMs = undefined;
    this.#diesStill = false;
    this.#downUntilMs = world.clock.nowMs() + BACK_AFTER_MS;
    for (const pod of world.store.list('pods', { labels: { app: 'atlantis' } }))
      world.store.delete('pods', pod.metadata.name, pod.metadata.namespace);
    world.journal.tell('Atlantis dies in the middle of its apply: the run log is lost, the EKS update goes on');
  }

  async #send(world: World, run: { ask: OwnerAsk; token: string; attempts: number }): Promise<void> {
    const { ask, token } = run;
    if (upToDate(world, ask)) return world.journal.tell(`Atlantis: terraform plan, ${ask.component} ${ask.name}: no changes`);
    const { path, body } = requestFor(world, ask);
    world.journal.tell(`Atlantis: terraform apply, ${ask.component} ${ask.name} to ${ask.version}: still modifying...`);
    const dies = ask.component === 'control-plane' && this.#diesStill;
    if (dies) this.#deathAtMs = world.clock.nowMs() + DIES_AFTER_MS;
    try {
      if (this.awsUrl === undefined) throw new Error('Atlantis knows no AWS endpoint');
      const response = await fetch(`${this.awsUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: signatureOf(world) },
        body: JSON.stringify({ ...body, clientRequestToken: token }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${response.headers.get('x-amzn-errortype') ?? response.status}: ${answer}`);
    } catch (error) {
      world.journal.tell(`Atlantis: apply failed: ${messageOf(error)}`);
      if (dies) this.#deathAtMs = undefined;
      if (run.attempts + 1 < MAX_ATTEMPTS)
        this.#waiting.push({ ...run, attempts: run.attempts + 1, dueMs: world.clock.nowMs() + RETRY_MS });
    }
  }
}

function requestFor(world: World, ask: OwnerAsk): { path: string; body: Record<string, unknown> } {
  const cluster = `/clusters/${world.eks.cluster.name}`;
  const name = encodeURIComponent(ask.name);
  if (ask.component === 'control-plane') return { path: `${cluster}/updates`, body: { version: ask.version } };
  if (ask.component === 'node-group') return { path: `${cluster}/node-groups/${name}/update-version`, body: { version: ask.version } };
  // Terraform's provider sends the role with every change: hashicorp/terraform-provider-aws, internal/service/eks/addon.go.
  const role = world.eks.addOns.find((each) => each.name === ask.name)?.serviceAccountRoleArn;
  const irsa = role === undefined ? {} : { serviceAccountRoleArn: role };
  return { path: `${cluster}/addons/${name}/update`, body: { addonVersion: ask.version, resolveConflicts: 'OVERWRITE', ...irsa } };
}

/** A plan shows no change where the resource is at the version, or on its way to it. */
function upToDate(world: World, ask: OwnerAsk): boolean {
  const resource = resourceOf(ask);
  return (
    versionNow(world, resource) === ask.version || runningUpdate(world, resource)?.params.some((p) => p.value === ask.version) === true
  );
}

function resourceOf({ component, name }: OwnerAsk): EksUpdate['resource'] {
  if (component === 'control-plane') return { kind: 'cluster' };
  return { kind: component === 'node-group' ? 'node-group' : 'add-on', name };
}

function versionNow({ eks }: World, resource: EksUpdate['resource']): string | undefined {
  if (resource.kind === 'cluster') return eks.cluster.version;
  const all = resource.kind === 'node-group' ? eks.nodeGroups : eks.addOns;
  return all.find(({ name }) => name === resource.name)?.version;
}

/** A header of the right form: the stand-in checks that a request is signed, not by whom. */
function signatureOf(world: World): string {
  const day = world.clock.now().toISOString().slice(0, 10).replaceAll('-', '');
  const signature = createHash('sha256').update(`atlantis/${day}`).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessKeyOf(world.eks.cluster.account)}/${day}/${world.eks.cluster.region}/eks/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`;
}
