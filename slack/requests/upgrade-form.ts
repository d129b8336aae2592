/** The form that starts an upgrade: opened by a command or a button, and filled in as versions and readiness become known. */
import type { SlackDeps } from '../interaction/deps.ts';
import { clustersHere, type Place, wrongPlace } from '../interaction/channel-guard.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { resultView, type UpgradeForm, upgradeView } from '../views/upgrade.ts';
import { slackError } from '../api/errors.ts';
import type { FormMetadata } from '../blocks/kit/button-values.ts';
import { targetsFrom } from '../../domain/run/fleet.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { visibleClusters } from '../interaction/visible-clusters.ts';
import { mrkdwn } from '../blocks/kit/text.ts';
import { formNotOpened, formUnreadable, inNoChannel, notInChannelOf } from '../messages/refusals.ts';
import { versionUnknown } from '../messages/forms.ts';

/** An open form as Slack knows it: `hash` makes an update fail where the person has gone on meanwhile. */
export interface OpenForm {
  id: string;
  hash?: string;
}

/** `place`: where the command was typed; absent: asked for in the App Home, for the clusters of channels that the person is in. Answers the listener where it cannot be opened. */
export async function openUpgradeForm(
  deps: SlackDeps,
  asked: { triggerId: string; place?: Place; actor: Actor; listener: Listener },
): Promise<void> {
  const { triggerId, place, actor, listener } = asked;
  const clusters = await clustersFor(deps, place, actor.id);
  if (typeof clusters === 'string') return await tell(listener, marked(clusters));
  const cluster = clusters.length === 1 ? clusters[0] : undefined;
  const form: UpgradeForm = { clusters, place, ...(cluster === undefined ? {} : { cluster, versions: { kind: 'reading' } }) };
  let open: OpenForm;
  try {
    const { view } = await deps.web.views.open({ trigger_id: triggerId, view: upgradeView(form) });
    open = { id: view?.id ?? '', hash: view?.hash };
  } catch (error) {
    deps.log.warn(slackError(error, 'opening the form').message);
    const again =
      place === undefined ? 'Press the button again, or type /eks-upgrade help.' : 'Type /eks-upgrade again, or /eks-upgrade help.';
    return await tell(listener, says(formNotOpened('for an upgrade', again)));
  }
  if (cluster !== undefined) await readVersions(deps, open, form, cluster, actor);
}

export type Known = FormMetadata & Pick<UpgradeForm, 'clusters'>;

export async function onCluster(deps: SlackDeps, open: OpenForm, known: Known, cluster: string, actor: Actor): Promise<void> {
  if (!known.clusters.includes(cluster)) return;
  const form: UpgradeForm = { clusters: known.clusters, place: known.place, cluster, versions: { kind: 'reading' } };
  const shown = await show(deps, open, form);
  if (shown !== undefined) await readVersions(deps, shown, form, cluster, actor);
}

export async function onTarget(
  deps: SlackDeps,
  open: OpenForm,
  { clusters, place, cluster, read }: Known,
  target: string,
  actor: Actor,
): Promise<void> {
  if (cluster === undefined || read === undefined) return;
  await readReadiness(deps, open, { clusters, place, cluster, versions: { kind: 'read', value: read } }, cluster, target, actor);
}

export async function readVersions(deps: SlackDeps, open: OpenForm, form: UpgradeForm, cluster: string, actor: Actor): Promise<void> {
  let read: NonNullable<FormMetadata['read']>;
  try {
    const { readAt, offered, clusters } = await deps.upgrades.versions([cluster]);
    const { version, why } = clusters[0] ?? {};
    if (version === undefined)
      return void (await show(deps, open, { ...form, versions: { kind: 'failed', why: why ?? versionUnknown() } }));
    read = { version, readAt, targets: targetsFrom(version, offered) };
  } catch (error) {
    const why = failureSentence(error, deps.log, `reading the version of ${cluster}`);
    return void (await show(deps, open, { ...form, versions: { kind: 'failed', why } }));
  }
  const wanted = deps.clusters.defaultTargetOf(cluster);
  const target = (read.targets.find(({ minor }) => minor === wanted) ?? read.targets[0])?.minor;
  const next: UpgradeForm = { ...form, versions: { kind: 'read', value: read } };
  if (target === undefined) return void (await show(deps, open, next));
  await readReadiness(deps, open, next, cluster, target, actor);
}

export async function readReadiness(
  deps: SlackDeps,
  open: OpenForm,
  form: UpgradeForm,
  cluster: string,
  target: string,
  requestedBy: Actor,
): Promise<void> {
  const asked: UpgradeForm = { ...form, target, readiness: { kind: 'reading' } };
  const shown = await show(deps, open, asked);
  if (shown === undefined) return;
  try {
    const value = await deps.upgrades.readiness({ cluster, target, requestedBy });
    await show(deps, shown, { ...asked, readiness: { kind: 'read', value } });
  } catch (error) {
    const why = failureSentence(error, deps.log, `checking ${cluster} for ${target}`);
    await show(deps, shown, { ...asked, readiness: { kind: 'failed', why } });
  }
}

/** undefined: the form is closed, or the person has chosen something else meanwhile, for which another update is on its way. */
export async function show(deps: SlackDeps, { id, hash }: OpenForm, form: UpgradeForm): Promise<OpenForm | undefined> {
  try {
    const { view } = await deps.web.views.update({ view_id: id, hash, view: upgradeView(form) });
    return { id, hash: view?.hash };
  } catch (error) {
    const { code, message } = slackError(error, 'filling in the form');
    if (code !== 'hash_conflict' && code !== 'not_found') deps.log.warn(message);
    return undefined;
  }
}

export async function whyNot(
  deps: SlackDeps,
  cluster: string,
  metadata: FormMetadata | undefined,
  user: string,
): Promise<string | undefined> {
  if (metadata === undefined) return formUnreadable();
  const { place } = metadata;
  const elsewhere = place === undefined ? await notOwn(deps, cluster, user) : await wrongPlace(deps, cluster, place, user);
  return elsewhere ?? (await whyRefused(deps, user));
}

/** Answers stand in the form's place, and below the command or in the cluster's channel once it is closed. */
export async function listenerIn(
  deps: SlackDeps,
  viewId: string,
  { cluster = '', place, title }: { cluster?: string; place?: Place; title?: string },
  user: string,
): Promise<Listener> {
  const channel = place?.channelId ?? (await deps.channels.idOf(deps.clusters.channelOf(cluster) ?? '').catch(() => ''));
  return {
    web: deps.web,
    log: deps.log,
    channel,
    user,
    async show(answer) {
      try {
        await deps.web.views.update({ view_id: viewId, view: resultView(answer, title) });
        return true;
      } catch (error) {
        const { code, message } = slackError(error, 'answering in the form');
        if (code !== 'not_found') deps.log.warn(message);
        return false;
      }
    },
  };
}

/** Of the channel, or of all channels that the person is in; a sentence of mrkdwn where there are none. */
export async function clustersFor(deps: SlackDeps, place: Place | undefined, user: string): Promise<readonly string[] | string> {
  if (place !== undefined) return await clustersHere(deps, place, user);
  const { names, unread } = await visibleClusters(deps, user);
  if (names.length > 0) return names;
  return unread[0] ?? inNoChannel();
}

/** Why a form of the App Home is not for this cluster: who is in other channels does not matter. */
export async function notOwn(deps: SlackDeps, cluster: string, user: string): Promise<string | undefined> {
  const { names, unread } = await visibleClusters(deps, user, [cluster]);
  return names.length > 0 ? undefined : (unread[0] ?? notInChannelOf(mrkdwn(cluster, 100)));
}
