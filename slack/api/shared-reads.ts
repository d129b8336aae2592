/** Reads of the same thing at the same time are one call. */

/** Who asks for the same group while it is being read gets that answer: it is of now for both of them. */
export function sharedReads(reader: GroupReader): GroupReader {
  const running = new Map<string, Promise<string[]>>();
  return {
    members(groupId) {
      const asked = running.get(groupId);
      if (asked !== undefined) return asked;
      const reading = reader.members(groupId).finally(() => running.delete(groupId));
      running.set(groupId, reading);
      return reading;
    },
  };
}

/** Same shape as the port of the activities. */
export interface GroupReader {
  /** Slack user ids. Throws when they cannot be read or there are none: callers fail closed. */
  members(groupId: string): Promise<string[]>;
}
