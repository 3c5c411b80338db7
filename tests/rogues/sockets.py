"""Rogues that use the network, real or local."""

import socket

from rogues.rogue import Scene, rogue

VSOCK_HOST = 2


@rogue()
def connects_over_tcp(scene: Scene) -> bool:
    return bool(socket.create_connection(("127.0.0.1", scene.port), timeout=2))


@rogue()
def connects_over_tcp_six(_: Scene) -> bool:
    return socket.socket(socket.AF_INET6, socket.SOCK_STREAM).fileno() >= 0


@rogue()
def listens_on_tcp(_: Scene) -> bool:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return True


@rogue()
def sends_over_udp(scene: Scene) -> bool:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", scene.port)) == 1


@rogue()
def connects_to_a_name_server(_: Scene) -> bool:
    return bool(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect_ex(("192.0.2.1", 53)) in {0, 101})


@rogue()
def connects_to_a_unix_socket(scene: Scene) -> bool:
    caller = socket.socket(socket.AF_UNIX)
    caller.connect(f"{scene.stage}/open/socket")
    return True


@rogue()
def connects_to_an_abstract_socket(scene: Scene) -> bool:
    caller = socket.socket(socket.AF_UNIX)
    caller.connect(f"\0arena-{scene.port}")
    return True


@rogue()
def sends_to_an_abstract_socket_from_a_pair(scene: Scene) -> bool:
    one, _other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    return one.sendto(b"x", f"\0arena-datagrams-{scene.port}") == 1


@rogue()
def opens_a_socket_to_the_hypervisor(_: Scene) -> bool:
    return socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).fileno() >= 0


@rogue()
def asks_the_kernel_for_routes(_: Scene) -> bool:
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).fileno() >= 0


@rogue(root_only=True)
def makes_a_raw_socket(_: Scene) -> bool:
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno() >= 0


@rogue(root_only=True)
def makes_a_packet_socket(_: Scene) -> bool:
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW).fileno() >= 0


@rogue()
def passes_a_descriptor(_: Scene) -> bool:
    one, _other = socket.socketpair()
    return socket.send_fds(one, [b"x"], [0]) == 1


@rogue()
def reads_the_routes(_: Scene) -> bool:
    with open("/proc/net/route", encoding="ascii") as routes:
        return len(routes.read()) > 0
