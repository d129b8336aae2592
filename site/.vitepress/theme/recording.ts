/** Plays a terminal's recording of docs/recordings with asciinema's player, which is part of the site. */
import 'asciinema-player/dist/bundle/asciinema-player.css';
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue';

const casts = import.meta.glob<string>('../../../docs/recordings/*.cast', { query: '?url', import: 'default', eager: true });

export const Recording = defineComponent({
  props: { name: { type: String, required: true } },
  setup({ name }) {
    const place = ref<HTMLElement>();
    let player: { dispose(): void } | undefined;
    onMounted(async () => {
      const url = casts[`../../../docs/recordings/${name}.cast`];
      if (place.value === undefined || url === undefined) return;
      const { create } = await import('asciinema-player');
      player = create(url, place.value, { idleTimeLimit: 2, poster: 'npt:0:20', terminalFontFamily: 'var(--vp-font-family-mono)' });
    });
    onBeforeUnmount(() => player?.dispose());
    // It is in a paragraph, in which HTML allows no block.
    return () => h('span', { class: 'recording', ref: place });
  },
});
