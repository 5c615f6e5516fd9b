// Streams for who takes long for each thing that comes.

const MOST_REST_MS = 250;

/**
 * What a stream gives, all that waits at once: whoever takes long for it gets the more together, and has at least half of
 * the time for everything else. The stream's own signal ends it.
 */
export async function* together(stream) {
  let waiting = [], over = false, left = false, failure, wake = () => {}, spent = 0, since = 0;
  (async () => {
    try {
      for await (const one of stream) {
        if (left) return;
        waiting.push(one);
        wake();
      }
    } catch (error) {
      failure = error;
    }
    over = true;
    wake();
  })();
  try {
    for (;;) {
      if (!waiting.length && !over) await new Promise((done) => { wake = done; });
      await turn();  // what came with it comes along
      const rest = Math.min(MOST_REST_MS, since + spent - performance.now());
      if (rest > 0 && !document.hidden) await new Promise((done) => setTimeout(done, rest));
      const taken = waiting.splice(0);
      if (taken.length) {
        const began = performance.now();
        yield taken;
        since = performance.now();
        spent = since - began;
      } else if (failure) throw failure;
      else if (over) return;
    }
  } finally {
    left = true;
  }
}

/** One turn of the event loop. (Timers of a page that isn't looked at wait for a second or more.) */
const turn = () => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(); };
  port2.postMessage(0);
});
