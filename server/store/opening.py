"""From a URL to a store that is fit to be used: one server, or the cluster that it is of."""

from redis.exceptions import RedisClusterException

from server.store.store import Store, connect, connect_cluster
from server.store.suitability import UnsuitableStoreError, check_clocks, check_store, is_cluster, where_is


async def open_store(url: str, *, wait_replicas: int = 0) -> tuple[Store, list[str]]:
    """The store at this URL, and warnings about it, each a sentence.

    Raises ValueError for a URL that is none, and `UnsuitableStoreError`.
    """
    redis, writing = connect(url), connect(url)
    store = Store(redis, writing, wait_replicas=wait_replicas)
    try:
        if not await is_cluster(redis):
            return store, await check_store(redis)
        where = where_is(redis)
        try:
            cluster = connect_cluster(url)
        except RedisClusterException:
            raise UnsuitableStoreError(
                f"The store at {where} is a cluster, which has neither a Unix socket nor numbered databases: "
                "give it as redis://HOST:PORT."
            ) from None
        store = Store(redis, writing, cluster=cluster, wait_replicas=wait_replicas)
        try:
            await cluster.begin()
            if not cluster.whole:
                raise RedisClusterException("not all slots are covered")
        except RedisClusterException as error:
            raise UnsuitableStoreError(
                f"The store at {where} is a cluster that is not whole ({error}): "
                "see CLUSTER INFO there, and mend it first."
            ) from error
        warnings = [
            warning for server in cluster.primaries().values() for warning in await check_store(server.redis)
        ]
        servers = [*cluster.primaries().values(), *cluster.replicas().values()]
        return store, warnings + await check_clocks([server.redis for server in servers])
    except BaseException:
        await store.close()
        raise
