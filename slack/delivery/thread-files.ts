/** Pictures and lists below messages. What is said in words stands without them: a bot that may not send files tells the rest. */
import type { WebClient } from '@slack/web-api';
import type { HealthCurve } from '../../domain/health/curves.ts';
import type { Attachment, MessageRef, Notification } from '../../domain/run/notifications.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { slackError } from '../api/errors.ts';
import { curvesTitle, timelineTitle } from '../messages/answers.ts';
import { attach, gateFileName, runFileName } from './attachments.ts';

export interface FilesDeps {
  web: WebClient;
  /** A PNG of how a run went, for its thread; undefined where there is nothing to draw. */
  picture?: (report: UpgradeReport) => Promise<Uint8Array | undefined>;
  /** A PNG of health checks over time, likewise. */
  chart?: (curves: readonly HealthCurve[]) => Promise<Uint8Array | undefined>;
}

type Curves = Extract<Notification, { kind: 'curves' }>;
export type FileNotification = Extract<Notification, { kind: 'file' }>;

export class ThreadFiles {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** "belay report CLUSTER --format html" shows the same. */
  async picture(report: UpgradeReport, thread: MessageRef): Promise<void> {
    const { cluster, to } = report.status;
    const title = timelineTitle(cluster.name, to);
    await this.#drawn({ thread, fileName: runFileName(report.status, 'png'), title }, () => this.#deps.picture?.(report));
  }

  /** Gives where the thread is, as below: a file is no message. */
  async curves({ gate, curves }: Curves, thread: MessageRef): Promise<MessageRef> {
    const title = curvesTitle(curves.map(({ check }) => check));
    await this.#drawn({ thread, fileName: gateFileName(gate), title }, () => this.#deps.chart?.(curves));
    return thread;
  }

  /** Throws SlackDeliveryError only where trying again may help: it is there once, however often it is tried. */
  async text({ fileName, title, content }: FileNotification, thread: MessageRef): Promise<MessageRef> {
    try {
      await attach(this.#deps.web, { thread, fileName, title, content });
    } catch (error) {
      const failure = slackError(error, `attaching ${fileName}`);
      if (failure.retryable) throw failure;
    }
    return thread;
  }

  async #drawn(where: Omit<Attachment, 'content'>, draw: () => Promise<Attachment['content'] | undefined> | undefined): Promise<void> {
    try {
      const content = await draw();
      if (content !== undefined) await attach(this.#deps.web, { ...where, content });
    } catch {
      // Nothing waits for a picture.
    }
  }
}
