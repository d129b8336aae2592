/** A service's client for changes beside the one that reads. */

interface Destroyable {
  destroy(): void;
}

/** `changer` rejects where `writing` does: nothing may be changed now. */
export function changingClient<Client extends Destroyable, Config>(
  reader: Client,
  writing: () => Promise<Config>,
  open: (config: Config) => Client,
): { changer: () => Promise<Client>; destroy: () => void } {
  let opened: Client | undefined;
  return {
    async changer() {
      const config = await writing();
      opened ??= open(config);
      return opened;
    },
    destroy() {
      reader.destroy();
      opened?.destroy();
    },
  };
}
