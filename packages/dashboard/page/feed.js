const LONGEST_WAIT_MS = 10_000;

/** Follows the server's feed, and comes back by itself however the connection ended. */
export function follow({ onSnapshot, onTick, onState }) {
  let source;
  let waitMs = 1000;
  let timer;

  const connect = () => {
    clearTimeout(timer);
    source?.close();
    source = new EventSource('events');
    source.addEventListener('snapshot', ({ data }) => {
      waitMs = 1000;
      onState('live');
      onSnapshot(JSON.parse(data));
    });
    source.addEventListener('tick', ({ data }) => onTick(JSON.parse(data)));
    source.addEventListener('error', () => {
      onState('lost');
      // a browser gives up when it gets an answer that is no feed: a proxy's 502, say
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, waitMs);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    });
  };
  connect();
  return connect;
}
