/** Publishes the App Home when somebody opens it, and again when they press Refresh. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { defined } from '../../domain/core/defined.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import { actorOf } from '../interaction/actor.ts';
import { closedHomeView, HOME_ACTIONS, homeView } from '../blocks/home.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { slackError } from '../api/errors.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { visibleClusters } from '../interaction/visible-clusters.ts';
import { gatherHome } from '../requests/home.ts';
import { openNeeds } from '../requests/needs.ts';
import { openUpgradeForm } from '../requests/upgrade-form.ts';
import { versionsUnread } from '../messages/home.ts';
import { formNotOpened } from '../messages/refusals.ts';

const PRESS_AGAIN = 'Press the button again.';
/** Versions change rarely; everybody who looks would have the whole fleet read otherwise. */
const KEEP_VERSIONS_MS = 5 * 60_000;

export function registerHome(app: App, deps: SlackDeps): void {
  const publisher = new HomePublisher(deps);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') await publisher.publish(event.user);
  });
  app.action<BlockAction<ButtonAction>>(HOME_ACTIONS.refresh, async ({ ack, body }) => {
    await ack();
    await publisher.publish(body.user.id, { anew: true });
  });
  app.action<BlockAction<ButtonAction>>(HOME_ACTIONS.start, async ({ ack, body }) => {
    await ack();
    const user = body.user.id;
    // There is no channel to answer in: what cannot be done is said by the Home itself.
    const show = ({ text }: Rendered): Promise<boolean> => publisher.publish(user, { say: text });
    const listener = { web: deps.web, log: deps.log, channel: user, user, show };
    if ((await whyRefused(deps, user)) !== undefined) return void (await publisher.publish(user));
    await openUpgradeForm(deps, { triggerId: body.trigger_id, actor: actorOf(body), listener });
  });
  app.action<BlockAction<ButtonAction>>(HOME_ACTIONS.needs, async ({ ack, body }) => {
    await ack();
    const user = body.user.id;
    if ((await whyRefused(deps, user)) !== undefined) return void (await publisher.publish(user));
    const isOpen = await openNeeds(deps, { triggerId: body.trigger_id, user });
    if (!isOpen) await publisher.publish(user, { say: formNotOpened('with what waits for you', PRESS_AGAIN) });
  });
}

class HomePublisher {
  readonly #deps: SlackDeps;
  readonly #busy = new Map<string, Promise<boolean>>();
  #versions: { at: number; value: FleetVersions } | undefined;

  constructor(deps: SlackDeps) {
    this.#deps = deps;
  }

  /** Never throws; false where Slack does not take it. Who opens it twice at a time is shown it once. */
  publish(user: string, { anew = false, say }: { anew?: boolean; say?: string } = {}): Promise<boolean> {
    if (anew) this.#versions = undefined;
    const running = this.#busy.get(user);
    if (running !== undefined && say === undefined) return running;
    const publishing = (running ?? Promise.resolve()).then(() => this.#publish(user, say));
    this.#busy.set(user, publishing);
    return publishing.finally(() => {
      if (this.#busy.get(user) === publishing) this.#busy.delete(user);
    });
  }

  /** `say`: what the one who looks has to be told. */
  async #publish(user: string, say: string | undefined): Promise<boolean> {
    const { web, log } = this.#deps;
    const send = async (view: ReturnType<typeof homeView>, hash?: string): Promise<string | undefined> =>
      (await web.views.publish({ user_id: user, view, ...defined({ hash }) })).view?.hash;
    try {
      const refusal = await whyRefused(this.#deps, user);
      if (refusal !== undefined) {
        await send(closedHomeView(refusal));
        return true;
      }
      const { names, unread } = await visibleClusters(this.#deps, user);
      const home = await gatherHome(this.#deps, user, Date.now(), names);
      home.problems.push(...unread);
      if (say !== undefined) home.problems.unshift(say);
      // What another process publishes while versions are read here is newer: then this one is refused (hash_conflict).
      const shown = this.#known() === undefined ? await send(homeView(home)) : undefined;
      const read = await this.#read();
      if (typeof read === 'string') home.problems.push(read);
      await send(homeView({ ...home, versions: typeof read === 'string' ? EMPTY : visibleOf(read, names) }), shown);
      return true;
    } catch (error) {
      const { code, message } = slackError(error, `publishing the App Home of ${user}`);
      if (code === 'hash_conflict') return true;
      log.warn(message);
      return false;
    }
  }

  #known(): FleetVersions | undefined {
    return this.#versions !== undefined && Date.now() - this.#versions.at < KEEP_VERSIONS_MS ? this.#versions.value : undefined;
  }

  /** A sentence where they cannot be read. */
  async #read(): Promise<FleetVersions | string> {
    const known = this.#known();
    if (known !== undefined) return known;
    const { clusters, upgrades, log } = this.#deps;
    try {
      const value = await upgrades.versions(clusters.names());
      this.#versions = { at: Date.now(), value };
      return value;
    } catch (error) {
      return versionsUnread(failureSentence(error, log, 'reading versions for the App Home'));
    }
  }
}

const visibleOf = (versions: FleetVersions, names: readonly string[]): FleetVersions => ({
  ...versions,
  clusters: versions.clusters.filter(({ name }) => names.includes(name)),
});

const EMPTY: FleetVersions = { readAt: '', clusters: [], offered: [] };
