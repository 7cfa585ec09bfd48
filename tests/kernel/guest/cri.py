# SPDX-License-Identifier: MIT
"""Requests of the kubelet to a runtime, runtime.v1 of the Container Runtime Interface: Debian has no crictl. Messages are
put together by the numbers in its api.proto; those for a pod in the host's network."""
import grpc

HOST_NETWORK = 2


def number(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(key, value):
    if isinstance(value, int):
        return number(key << 3) + number(value)
    data = value.encode() if isinstance(value, str) else value
    return number(key << 3 | 2) + number(len(data)) + data


def strings(key, pairs):
    """A map<string, string>."""
    return b"".join(field(key, field(1, name) + field(2, value)) for name, value in pairs.items())


class Runtime:
    def __init__(self, address):
        self.channel = grpc.insecure_channel(address)

    def call(self, method, message):
        """Return: the first field of the answer, a string, if there is one."""
        answer = self.channel.unary_unary("/runtime.v1.RuntimeService/" + method)(message, timeout=300)
        return answer[2:2 + answer[1]].decode() if answer else None

    def run_pod(self, name, slice_name, annotations):
        """Return: arguments for start() and remove_pod()."""
        network = field(1, HOST_NETWORK)
        config = field(1, field(1, name) + field(2, name + "-uid") + field(3, "default")) + strings(7, annotations) + \
            field(8, field(1, slice_name) + field(2, field(1, network)))
        return self.call("RunPodSandbox", field(1, config)), config

    def start(self, pod, name, image, command):
        """A container without annotations: the kubelet passes none of the pod's. Return: its id."""
        config = field(1, field(1, name)) + field(2, field(1, image)) + b"".join(field(3, word) for word in command) + \
            field(15, field(2, field(3, field(1, HOST_NETWORK))))
        container = self.call("CreateContainer", field(1, pod[0]) + field(2, config) + field(3, pod[1]))
        self.call("StartContainer", field(1, container))
        return container

    def remove_pod(self, pod):
        self.call("StopPodSandbox", field(1, pod[0]))
        self.call("RemovePodSandbox", field(1, pod[0]))
