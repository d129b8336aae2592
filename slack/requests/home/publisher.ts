/** Publishes the App Home: what is read first is shown at once, versions follow. */
import { defined } from '../../../domain/core/defined.ts';
import type { FleetVersions } from '../../../domain/run/fleet.ts';
import { slackError } from '../../api/errors.ts';
import { closedHomeView, homeView } from '../../blocks/home.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { failureSentence } from '../../interaction/failure-text.ts';
import { whyRefused } from '../../interaction/membership-guard.ts';
import { visibleClusters } from '../../interaction/visible-clusters.ts';
import { versionsUnread } from '../../messages/home.ts';
import { readDirect } from './direct.ts';
import { gatherHome } from './home.ts';

/** Versions change rarely; everybody who looks would have the whole fleet read otherwise. */
const KEEP_VERSIONS_MS = 5 * 60_000;

export class HomePublisher {
  readonly #deps: SlackDeps;
  readonly #busy = new Map<string, Promise<boolean>>();
  #versions: { at: number; value: FleetVersions } | undefined;

  constructor(deps: SlackDeps) {
    this.#deps = deps;
  }

  /**
   * Never throws; false where Slack does not take it. Who opens it twice at a time is shown it once. `changed`: what is being read for an earlier call may
   * not know of it yet.
   */
  publish(
    user: string,
    { anew = false, changed = false, say }: { anew?: boolean; changed?: boolean; say?: string } = {},
  ): Promise<boolean> {
    if (anew) this.#versions = undefined;
    const running = this.#busy.get(user);
    if (running !== undefined && say === undefined && !changed) return running;
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
      const direct = await readDirect(this.#deps, user);
      if (direct.why !== undefined) home.problems.push(direct.why);
      home.direct = direct.state;
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
