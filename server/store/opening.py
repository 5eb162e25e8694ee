"""From a URL to a store that is fit to be used: one server, or the cluster that it is of."""

from redis.asyncio import Redis
from redis.exceptions import RedisClusterException

from server.store.store import Store, connect, connect_cluster
from server.store.suitability import (
    Info,
    UnsuitableStoreError,
    check_clocks,
    check_password,
    check_replicas,
    check_store,
    is_cluster,
    read_info,
    where_is,
)
from server.store.urls import check_url


async def open_store(url: str, *, wait_replicas: int = 0) -> tuple[Store, list[str]]:
    """The store at this URL, and warnings about it, each a sentence.

    Raises ValueError for a URL that is none, and `UnsuitableStoreError`.
    """
    check_url(url)
    redis, writing = connect(url), connect(url)
    store = Store(redis, writing, wait_replicas=wait_replicas)
    try:
        info = await read_info(redis)
        if not is_cluster(info):
            return store, await _warnings_about(redis, info, wait_replicas)
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
            warning
            for server in cluster.primaries().values()
            for warning in await _warnings_about(server.redis, await read_info(server.redis), wait_replicas)
        ]
        servers = [*cluster.primaries().values(), *cluster.replicas().values()]
        return store, warnings + await check_clocks([server.redis for server in servers])
    except BaseException:
        await store.close()
        raise


async def _warnings_about(client: Redis, info: Info, wait_replicas: int) -> list[str]:
    """Of a server by itself, alone or a cluster's primary. Raises `UnsuitableStoreError`."""
    warnings = await check_store(client, info) + await check_password(client)
    return warnings + check_replicas(client, info, wait_replicas)
