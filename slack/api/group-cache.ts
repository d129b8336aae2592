/** Membership of user groups for what is only shown: usergroups.users.list is of Tier 2 (some twenty calls a minute: docs.slack.dev/apis/web-api/rate-limits). */
import type { WebClient } from '@slack/web-api';
import { createGroupReader } from './groups.ts';
import type { GroupReader } from './shared-reads.ts';

const KEEP_MS = 45_000;

/**
 * What was read within the last moments. Not for votes: those read anew, and what stands here is never their fallback. Failures are not kept.
 */
export function cachedGroups(
  reader: GroupReader,
  { keepMs = KEEP_MS, nowMs = Date.now }: { keepMs?: number; nowMs?: () => number } = {},
): GroupReader {
  const known = new Map<string, { atMs: number; members: string[] }>();
  return {
    async members(groupId) {
      const kept = known.get(groupId);
      if (kept !== undefined && nowMs() - kept.atMs < keepMs) return kept.members;
      const members = await reader.members(groupId);
      known.set(groupId, { atMs: nowMs(), members });
      return members;
    },
  };
}

const SHOWN = new WeakMap<WebClient, GroupReader>();

/** One for each client, so that everybody's Home is of the same reads. */
export function shownGroups(web: WebClient): GroupReader {
  const known = SHOWN.get(web) ?? cachedGroups(createGroupReader({ web }));
  SHOWN.set(web, known);
  return known;
}
